// What can be measured of the course's widgets in a page: contrast, what is cut off, names.
where => {
  const faults = [];
  const colour = text => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return text.startsWith('color(srgb') ? parts.map((n, i) => i < 3 ? n * 255 : n) : parts;
  };
  const light = ([r, g, b]) => [r, g, b]
    .map(n => n / 255).map(n => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4)
    .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
  const background = part => {
    for (let at = part; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  for (const picture of document.querySelectorAll('.jp-RenderedSVG img')) {
    const room = picture.closest('.jp-OutputArea-output').getBoundingClientRect().right;
    if (picture.getBoundingClientRect().right > room) faults.push(`${where}: a picture is cut off`);
  }
  for (const root of document.querySelectorAll('.memlab')) {
    const edge = root.closest('.jp-OutputArea-output').getBoundingClientRect().right + 1;
    for (const part of root.querySelectorAll('*')) {
      if (!part.checkVisibility() || part.tagName === 'STYLE') continue;
      const words = [...part.childNodes].filter(node => node.nodeType === 3)
        .map(node => node.textContent.trim()).join('');
      const name = `${where}: ${part.tagName} ${words.slice(0, 40)}`;
      if (words) {
        const two = [light(colour(getComputedStyle(part).color)), light(background(part))];
        const contrast = (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
        if (contrast < 4.5) faults.push(`${name}: contrast ${contrast.toFixed(2)}`);
        if (part.getBoundingClientRect().right > edge) faults.push(`${name}: beyond the edge`);
        const hidden = getComputedStyle(part).overflowX !== 'visible';
        if (hidden && part.tagName !== 'PRE' && part.scrollWidth > part.clientWidth + 1)
          faults.push(`${name}: cut off`);
      }
      if (part.matches('button, input, select, textarea, [role=slider], summary')) {
        const labelled = part.labels && [...part.labels].some(label => label.textContent.trim());
        const named = part.getAttribute('aria-label') || part.getAttribute('title')
          || part.textContent.trim() || part.placeholder;
        if (!labelled && !named) faults.push(`${name}: no name`);
      }
    }
  }
  return faults;
}
