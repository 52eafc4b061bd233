"""Extraction: what a conversation leaves behind, saved by a fork after each turn."""

from memlab.extract.asking import TranscriptTimes as TranscriptTimes
from memlab.extract.extractor import Extraction as Extraction
from memlab.extract.extractor import Extractor as Extractor
from memlab.memdir.attribution import attribute as attribute
from memlab.memdir.attribution import lint_grounding as lint_grounding
