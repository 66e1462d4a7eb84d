/** The README.md that makes a Space of the built folder: its front matter says that the files are served as they are. */
export const spaceCard = `---
title: Marble
emoji: 🧠
colorFrom: indigo
colorTo: gray
sdk: static
app_file: index.html
pinned: false
license: apache-2.0
---

# Marble

Reinforcement learning for small language models on the visitor's own GPU, in a browser tab. This folder is the built page;
any host that hands out files serves it, from any path.
`;
