// node compile.mjs PYODIDE WHEELS COMPILED: runs compile_wheels.py in Pyodide.
// PYODIDE is the folder of Pyodide itself; the other two are folders of wheels.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodideFolder, wheels, compiled] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(join(pyodideFolder, "pyodide.mjs")).href);
const pyodide = await loadPyodide();
for (const [name, folder] of [["/wheels", wheels], ["/compiled", compiled]]) {
  pyodide.FS.mkdir(name);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, name);
}
const script = join(import.meta.dirname, "compile_wheels.py");
try {
  pyodide.runPython(readFileSync(script, "utf-8"), {
    globals: pyodide.toPy({ __name__: "__main__" }),
  });
} catch (error) {
  // an uncaught error would print Pyodide's own source, a megabyte in one line
  console.error(error.message);
  process.exit(1);
}
