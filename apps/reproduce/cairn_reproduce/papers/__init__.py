"""The five papers."""
from . import biharmonic, distance_geometry, questions, sketches, text_similarity

PAPERS = (text_similarity.PAPER, biharmonic.PAPER, distance_geometry.PAPER, questions.PAPER, sketches.PAPER)
