/**
 * The README.md that turns the built folder into a Space. Its front matter declares static files with these headers.
 */
import { isolationHeaders } from './content-security-policy';

// The Hub shows a Space in a frame of the Hub's page, which may itself be isolated.
const ofSpace = { ...isolationHeaders, 'cross-origin-resource-policy': 'cross-origin' };
const headers = Object.entries(ofSpace).map(([name, value]) => `\n  ${name}: ${value}`);

export const spaceCard = `---
title: Marble
emoji: 🧠
colorFrom: indigo
colorTo: gray
sdk: static
app_file: index.html
pinned: false
license: apache-2.0
custom_headers:${headers.join('')}
---

# Marble

Reinforcement learning for small language models on the visitor's own GPU, in a browser tab. This folder is the built page;
any host that hands out files serves it, from any path.
`;
