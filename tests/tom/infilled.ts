/** Phrases of the infilled telling, and the plain words for them. */
const loosePhrases: [RegExp, string][] = [
  [/(\S+) came into the (.+?) and looked around\./g, '$1 entered the $2.'],
  [/Soon (\S+) stepped into the /g, '$1 entered the '],
  [/(?:After a while )?(\S+) (?:had seen enough and walked|slipped) out of the /g, '$1 left the '],
  [/Without a word (\S+) put the (.+?) into the (.+?) that stood there in /g, '$1 moved the $2 to the $3, which is also located in '], // prettier-ignore
  [/(\S+) took the ([^.]+?) and tucked it into the (.+?), also there in /g, '$1 moved the $2 to the $3, which is also located in '], // prettier-ignore
  [/(\S+) picked up the (.+?) and carried it over to the (.+?), and stayed there\./g, '$1 moved the $2 to the $3.'], // prettier-ignore
  [/(\S+) took (\S+) aside, so that nobody else could hear, and told \S+ /g, '$1 told privately to $2 '],
  [/In a message to (\S+) alone, (\S+) wrote to \S+ /g, '$2 told privately to $1 '],
  [/For all in the room to hear, (\S+) spoke up and told them /g, '$1 told out loud '],
  [/(?:Meanwhile, unnoticed by the others|At that very moment, although nobody could tell), /g, 'While this action was happening, '], // prettier-ignore
  [/(\S+) had some time to spare and /g, '$1 '],
];

/** The infilled telling in the sentences of the structured one. */
export const inPlainWords = (story: string): string =>
  loosePhrases.reduce((text, [loose, plain]) => text.replace(loose, plain), story);
