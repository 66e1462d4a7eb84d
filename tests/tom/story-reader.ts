/**
 * Slow independent readers of generated stories. They see only the text and share no code with the simulator. Instead
 * of deriving the events that reached a chain of agents, they keep a table with a row for every ordered tuple of agents
 * (Hi-ToM, ToMi) or for every pair (ExploreToM), and rewrite it sentence by sentence.
 */

type Table = Record<string, string>;

/** Hi-ToM and ToMi: agents in a room know where things in it are. */
export function openAnswer(story: string, question: string): string | undefined {
  const lines = story.split(/\n|(?<=\.) (?=[A-Z])/).map((line) => line.replace(/\.$/, ''));
  const thing = /(?:the|that) ([a-z]+)(?: is| really| at the beginning)?\?$/.exec(question)![1];
  const minds = [...question.matchAll(/\b([A-Z][a-z]+)(?= (?:think|thinks|really|searches|look|that))/g)].map(
    (match) => match[1],
  );
  const people = [...new Set(story.match(/\b[A-Z][a-z]+\b/g))].filter(
    (name) => !['The', 'Where'].includes(name),
  );
  const tuples = tuplesOf(people, minds.length);
  const table: Table = {};
  const rooms: Table = {};
  let [place, room, first, chapterRoom] = ['', '', '', ''];
  let chapter: string[] = [];
  let gone: string[] = [];
  const everybodyIn = (where: string): string[] => people.filter((name) => rooms[name] === where);
  const write = (): void => {
    const there = new Set(everybodyIn(room));
    for (const tuple of tuples) if (tuple.every((name) => there.has(name))) table[tuple.join('>')] = place;
  };
  for (const line of lines) {
    const entered = /^(.+) entered the (\S+)$/.exec(line);
    const exited = /^(\S+) exited the (\S+)$/.exec(line);
    const announced = /^The (\S+) is in the (\S+)$/.exec(line);
    const moved = /^\S+ moved the (\S+) to the (\S+)$/.exec(line);
    const privateClaim = /^(\S+) privately told (\S+) that the (\S+) is in the (\S+)$/.exec(line);
    const claimed = /^(\S+) publicly claimed that (\S+) is in the (\S+)$/.exec(line);
    if (entered) {
      for (const name of entered[1].split(/, | and /)) rooms[name] = entered[2];
      if (entered[2] === room) write();
    } else if (exited) {
      if (exited[2] === chapterRoom) gone.push(exited[1]);
      rooms[exited[1]] = 'outside';
    } else if (announced) {
      const here = announcedIn(lines.slice(0, lines.indexOf(line)));
      [chapterRoom, chapter, gone] = [here, everybodyIn(here), []];
      if (announced[1] === thing) {
        [place, room] = [announced[2], here];
        first = first || place;
        write();
      }
    } else if (moved?.[1] === thing) {
      place = moved[2];
      write();
    } else if (privateClaim?.[3] === thing) {
      const [, from, to, , where] = privateClaim;
      table[`${from}>${to}`] = where;
      if (trusts(to, from, chapter, gone)) [table[to], table[`${to}>${from}`]] = [where, where];
    } else if (claimed?.[2] === thing) {
      const [, from, , where] = claimed;
      for (const listener of everybodyIn(rooms[from]).filter((name) => name !== from)) {
        table[`${from}>${listener}`] = where;
        if (trusts(listener, from, chapter, gone))
          [table[listener], table[`${listener}>${from}`]] = [where, where];
      }
    }
  }
  if (minds.length > 0) return table[minds.join('>')];
  return question.includes('at the beginning') ? first : place;
}

/** The room of the previous sentence: in generated stories an announcement follows its agents' entry. */
function announcedIn(before: string[]): string {
  return [...before]
    .reverse()
    .map((line) => / entered the (\S+)$/.exec(line)?.[1])
    .find((room) => room !== undefined)!;
}

function trusts(listener: string, teller: string, chapter: string[], gone: string[]): boolean {
  if (!chapter.includes(listener)) return true;
  return gone.includes(listener) && gone.slice(0, gone.indexOf(listener)).every((name) => name !== teller);
}

function tuplesOf(people: string[], length: number): string[][] {
  if (length === 0) return [];
  if (length === 1) return people.map((name) => [name]);
  return tuplesOf(people, length - 1).flatMap((tuple) => {
    return people.filter((name) => !tuple.includes(name)).map((name) => [...tuple, name]);
  });
}

/** ExploreToM: containers are closed, tellers truthful, and some agents peek or are distracted. */
export function closedAnswer(story: string, question: string): string | undefined {
  const sentences = tighten(story).split(/(?<=\.) /);
  const people = [...new Set([...story.matchAll(/\b([A-Z][a-z]+)\b/g)].map((match) => match[1]))];
  const views: Record<string, Table> = {};
  const cases = [...tighten(story).matchAll(/ to the ([^,.]+), which is also/g)].map((match) => match[1]);
  const rooms: Table = {};
  const contents: Record<string, { room: string; place: string }> = {};
  const before: Record<string, string> = {};
  const start: Table = {};
  sentences.forEach((sentence, index) => {
    if (sentence.startsWith('While')) return;
    const aside = sentences[index + 1]?.startsWith('While') ? sentences[index + 1] : '';
    const peeking = people.filter((name) => new RegExp(`\\b${name}\\b[^;]* witnessed`).test(aside));
    const distracted = people.filter((name) => new RegExp(`\\b${name}\\b[^;]* got distracted`).test(aside));
    const show = (present: string[], key: string, value: string, fleeting = false): void => {
      const noticing = [...present.filter((name) => !distracted.includes(name)), ...peeking];
      if (!fleeting) {
        (views.real ??= {})[key] = value;
        start[key] ??= value;
      }
      for (const first of noticing) {
        (views[first] ??= {})[key] = value;
        for (const second of present) if (second !== first) (views[`${first}>${second}`] ??= {})[key] = value;
      }
    };
    const inside = (room: string): string[] => people.filter((name) => rooms[name] === room);
    const look = (room: string): void => {
      for (const [thing, at] of Object.entries(contents)) {
        if (at.room === room && at.place === '') show(inside(room), `room of ${thing}`, room);
      }
    };
    const plain = sentence.replace(/\.$/, '');
    const entered = /^(\S+) entered the (.+)$/.exec(plain);
    const left = /^(\S+) left the (.+)$/.exec(plain);
    const moved = /^(\S+) moved the (.+) to the (.+), which is also located in the (.+)$/.exec(plain);
    const carried = /^(\S+) moved the (.+?) to the ([^,]+)(, leaving .+)?$/.exec(plain);
    const isOfTopic = / told (?:privately to \S+|out loud) about /.test(plain);
    const telling = /^(\S+) told (?:privately to (\S+)|out loud) that the (.+) is in the (.+)$/.exec(plain);
    if (entered) {
      rooms[entered[1]] = entered[2];
      look(entered[2]);
    } else if (left) {
      rooms[left[1]] = '';
    } else if (moved) {
      const [, who, thing, place, room] = moved;
      before[`${who} moved the ${thing} to the ${place}`] = contents[thing]?.place;
      contents[thing] = { room, place };
      contents[place] = { room, place: '' };
      show(inside(room), `place of ${thing}`, place);
      show(inside(room), `room of ${thing}`, room);
      show(inside(room), `room of ${place}`, room);
    } else if (carried) {
      const [, who, thing, room] = carried;
      show(inside(rooms[who]), `place of ${thing}`, 'gone');
      show(inside(rooms[who]), `room of ${thing}`, 'gone');
      contents[thing] = { room, place: '' };
      rooms[who] = room;
      look(room);
    } else if (telling) {
      const [, who, to, thing, where] = telling;
      const hearing = to === undefined ? inside(rooms[who]) : [who, to];
      show(hearing, `${cases.includes(where) ? 'place' : 'room'} of ${thing}`, where, true);
    } else if (!isOfTopic) {
      const who = plain.split(' ')[0];
      const thing =
        Object.keys(contents).find((name) => plain.includes(` the ${name}`) && contents[name].place !== '') ??
        Object.keys(contents)[0];
      show(inside(rooms[who]), `room of ${thing}`, rooms[who]);
    }
  });
  return answerClosed(question, views, start, before);
}

function answerClosed(
  question: string,
  views: Record<string, Table>,
  start: Table,
  before: Record<string, string>,
): string | undefined {
  const where = question.startsWith('In which room') ? 'room' : 'place';
  const look = (view: string, key: string): string | undefined => {
    const value = views[view]?.[key];
    return value === 'gone' ? undefined : value;
  };
  let match = /^In which \w+ (?:will (\S+)|does (\S+) think that (\S+) will) search for the (.+)\?$/.exec(
    question,
  );
  if (match) return look(match[1] ?? `${match[2]}>${match[3]}`, `${where} of ${match[4]}`);
  match = /^In which \w+ is the (.+) now\?$/.exec(question);
  if (match) return look('real', `${where} of ${match[1]}`);
  match = /^In which \w+ was the (.+) at the beginning\?$/.exec(question);
  if (match) return start[`${where} of ${match[1]}`];
  match = /^In which container was the .+ before (.+)\?$/.exec(question)!;
  return before[match[1]];
}

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

const tighten = (story: string): string =>
  loosePhrases.reduce((text, [loose, plain]) => text.replace(loose, plain), story);

/**
 * Solves `who-knows`. Everyone in the room when a topic is told knows about it. A list names them in the order of their
 * first entry.
 */
export function conversationAnswer(story: string, question: string): string | undefined {
  const topic = /about the (.+)\? /.exec(question)![1];
  const met: string[] = [];
  const present = new Set<string>();
  const knowing = new Set<string>();
  for (const sentence of story.split(/(?<=\.) /)) {
    const [who, verb] = sentence.split(' ');
    if (verb === 'entered') {
      present.add(who);
      if (!met.includes(who)) met.push(who);
    } else if (verb === 'left') present.delete(who);
    else if (sentence.endsWith(`told out loud about the ${topic}.`))
      present.forEach((one) => knowing.add(one));
  }
  const asked = /^Does (\S+) know/.exec(question)?.[1];
  if (asked !== undefined) return knowing.has(asked) ? 'yes' : 'no';
  return met.filter((who) => knowing.has(who)).join(', ');
}
