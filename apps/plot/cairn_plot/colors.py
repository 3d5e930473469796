"""Colors and markers of curves."""

# Told apart with every kind of color vision (Okabe and Ito 2008), and by marker on paper.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
