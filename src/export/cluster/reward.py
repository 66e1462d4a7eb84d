"""The reward of a Marble run, for verl and TRL, bitwise equal to the reward in Marble.

Uses the standard library only. verl calls `compute_score` for each completion, TRL calls `marble_reward` for a batch. Both
read one JSON text per item from the data files. A completion is the text after the prompt's final `<think>`.

Python's `\\s`, `\\d`, `strip` and `.` match other characters than JavaScript's, so this file lists the characters.
"""

import functools
import itertools
import json
import re
import types
import unicodedata

# Settings of the reward, written by the export.
SETTINGS = json.loads('{"preset": "logic-rl", "minimumThinkWords": 0, "targetThinkWords": 0, "length": null}')

_SPACES = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_S = f"[{_SPACES}]"
_SPACE_RUN = re.compile(f"{_S}+")
_TAGS = ("<think>", "</think>", "<answer>", "</answer>")


def _words(text):
    return [word for word in _SPACE_RUN.split(text) if word != ""]


# ---------------------------------------------------------------- parsing a completion


def read_completion(completion):
    """Returns whether the four tags occur once and in order, the reasoning, and the text of the last answer tag or None."""
    text = "<think>" + completion
    end = completion.find("</think>")
    think = completion if end == -1 else completion[:end]
    return _format_holds(text), think.strip(_SPACES), _last_answer(text)


def _format_holds(text):
    previous = -1
    for tag in _TAGS:
        first = text.find(tag)
        if first == -1 or text.find(tag, first + 1) != -1 or first < previous:
            return False
        previous = first
    return True


def _last_answer(text):
    end = text.rfind("</answer>")
    # The last tag that starts at or before `end`, as in JavaScript's lastIndexOf.
    start = -1 if end == -1 else text.rfind("<answer>", 0, end + len("<answer>"))
    return None if start == -1 else text[start + len("<answer>") : end].strip(_SPACES)


def _normalized(text):
    lowered = re.sub(r"[,;:!?]|\.(?![0-9])", "", text.lower().replace("_", " ").replace("\u2212", "-"))
    return _SPACE_RUN.sub(" ", lowered).strip(_SPACES)


# ---------------------------------------------------------------- correctness, by the rule of each data set


def is_right(answer, item):
    if answer is None:
        return False
    gold, scoring = item["answer"], item.get("scoring")
    if scoring is None:
        return _normalized(gold) != "" and _normalized(answer) == _normalized(gold)
    rule = scoring["rule"]
    if rule == "names":
        said = answer.lower()
        named = [name.lower() in said for name in scoring["right"]]
        wrong = [name.lower() in said for name in scoring["wrong"]]
        return said.strip(_SPACES) != "" and all(named) and not any(wrong)
    if rule == "binary":
        return _read_binary(answer) == gold
    if rule == "classes":
        named = _class_named(answer, scoring["classes"])
        return named is not None and named == _class_named(gold, scoring["classes"])
    numbers = _numbers_in(answer)
    return numbers != [] and numbers[-1:] == _numbers_in(gold)[-1:]


def _read_binary(answer):
    letters = re.sub(r"[^a-z' ]", " ", answer.lower())
    said = " " + _SPACE_RUN.sub(" ", letters) + " "
    no = re.search(r" no | does not know | doesn't know | false ", said) is not None
    yes = re.search(r" yes | true ", said) is not None or (not no and " knows " in said)
    return None if yes == no else "yes" if yes else "no"


def _class_named(answer, classes):
    said = f" {_normalized(answer)} "
    named = [(f" {_normalized(name)} ", index) for index, name in enumerate(classes)]
    named = [(name, index) for name, index in named if name in said]
    whole = [(name, index) for name, index in named if not any(o != name and name in o for o, _ in named)]
    return whole[0][1] if len(whole) == 1 else None


_ASCII = {0xFF0D: "-", 0xFF0E: ".", 0x2212: "-"}
_ASCII |= {0xFF10 + digit: str(digit) for digit in range(10)}
_ASCII |= {dash: "-" for dash in range(0x2010, 0x2014)}
_GROUP_MARK = re.compile(r"(?<=[0-9])(?:,(?=[0-9])|[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9])))")
# A minus after an operand subtracts, and a point after a word or a digit ends it.
_NUMBER = re.compile(
    r"((?<![A-Za-z0-9)\]}%])-\\?[$€£¥]?)?((?:[0-9]+(?:\.[0-9]+)?|(?<![A-Za-z0-9.])\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
)


def _numbers_in(text):
    plain = _GROUP_MARK.sub("", text.translate(_ASCII))
    return [-float(digits) if sign else float(digits) for sign, digits in _NUMBER.findall(plain)]


# ---------------------------------------------------------------- traces: a list of (holds or None, covered keys)


def _trace_check(judged, needed):
    read = [holds for holds, _ in judged if holds is not None]
    right = sum(1 for holds in read if holds)
    covered = {key for holds, covers in judged if holds for key in covers}
    return {
        "read": len(read),
        "validity": 0.0 if not read else right / len(read),
        "coverage": 0.0 if needed == 0 else len(covered) / needed,
    }


def check_trace(think, item):
    """Validity and coverage of the reasoning in the item's world; None without a world."""
    if "world" in item:
        if "compiled" not in item:
            item["compiled"] = _World(item["world"])
        return _check_english(think, item["compiled"])
    return _check_swap(think, item) if "events" in item else None


def _check_swap(think, item):
    """`events` are [actor, place, agents of the chain who saw it]; `deciding` is the last event that the whole chain saw."""
    events, deciding = item["events"], item["deciding"]
    chain = item["chainLength"]
    upcoming, concluded, judged = 0, False, []
    for words in (_words(clause) for clause in think.split(";")):
        if not words:
            continue
        if len(words) == 2 and words[0] == "so":
            judged.append((None if concluded else words[1] == events[deciding][1], []))
            concluded = True
            continue
        is_clause = len(words) == 2 or words == ["none"]
        if not is_clause or upcoming >= len(events):
            judged.append((None, []))
            continue
        actor, place, seers = events[upcoming]
        seen = len(seers) == chain
        holds = not seen if len(words) == 1 else seen and words[0] == actor and words[1] == place
        judged.append((holds, [upcoming] if holds else []))
        upcoming += 1
    return _trace_check(judged, len(events))


# ---------------------------------------------------------------- traces in English

_OPENINGS = re.compile(
    r"(?:so|then|therefore|thus|hence|next|now|first|second|finally|afterwards|after that|and|but|because|since"
    rf"|at this point|this means(?: that)?|that means(?: that)?|we know(?: that)?|meanwhile){_S}+"
)
_LONGEST_SENTENCE = 1000


def plain_words(text):
    """Normalises a sentence: lower case, `_` as a space, no punctuation, no leading conjunction or similar word."""
    lowered = re.sub("[_'\u2019]", " ", text.lower())
    kept = "".join(c if c in _SPACES or c == "-" or unicodedata.category(c)[0] in "LN" else " " for c in lowered)
    words = _SPACE_RUN.sub(" ", kept).strip(_SPACES)
    while True:
        opening = _OPENINGS.match(words)
        if opening is None:
            return words
        words = words[opening.end() :]


class _World:
    """The exported actions and showings of a world. `reach` tabulates the chains of agents that a showing reached."""

    def __init__(self, world):
        self.question = world["question"]
        self.actions = world["actions"]
        self.shown = world["shown"]
        for showing in self.shown:
            showing["reach"] = _reach(showing["reach"], world["agents"])
        self.needed = [self.shown[index] for index in world["needed"]]
        facts = ("event", "noticed") if self.question["chain"] else ("event",)
        self.needed_keys = {f"{fact} {showing['action']}" for showing in self.needed for fact in facts}
        self.agents = {plain_words(agent): agent for agent in world["agents"]}
        words = {name: _alternatives(world["words"][name]) for name in ("agents", "things", "places")}
        agent = words["agents"]
        self.whole_agent = re.compile(f"(?<![^ ]){agent}(?![^ ])")
        self.groups = {
            "{who}": f"((?:both )?{agent}(?:(?: and | ){agent})*)",
            "{thing}": f"(?:the )?({words['things']}|it)",
            "{place}": f"(?:the )?({words['places']})",
        }
        self.compiled = {}

    def match(self, pattern, sentence):
        compiled = self.compiled.get(pattern)
        if compiled is None:
            shape = re.sub(r"\{(?:who|thing|place)\}", lambda found: self.groups[found.group()], pattern)
            compiled = self.compiled[pattern] = re.compile(shape)
        return compiled.fullmatch(sentence)

    def agents_in(self, words):
        return [self.agents[name] for name in self.whole_agent.findall(words)]


@functools.lru_cache(maxsize=65536)
def _plain(name):
    return None if name is None else plain_words(name)


def _alternatives(words):
    return "(?!)" if not words else f"(?:{'|'.join(re.escape(word) for word in words)})"


def _reach(table, agents):
    """Converts a table of reached chains (`ReachTable` in reward-program.ts) to a predicate on chains."""
    if "chains" in table:
        chains = {tuple(agents[index] for index in chain) for chain in table["chains"]}
        return lambda chain: tuple(chain) in chains
    noticed = {agents[index] for index in table["noticed"]}
    seemed = {agents[index] for index in table["seemed"]}
    return lambda chain: not chain or (chain[0] in noticed and all(agent in seemed for agent in chain[1:]))


def _check_english(think, world):
    reading, said, judged = types.SimpleNamespace(world=world, cursor=-1, covered=set(), stated={}), set(), []
    for text in _sentences(think):
        too_long = len(text.encode("utf-16-le", "surrogatepass")) // 2 > _LONGEST_SENTENCE
        judgement = None if too_long else _judge(reading, plain_words(text))
        covers = [] if judgement is None else judgement.get("covers", [])
        news = [key for key in covers if key in world.needed_keys and key not in reading.covered]
        claim = None if judgement is None else (text, judgement.get("that"), judgement["holds"])
        if judgement is None or (claim in said and not news):
            judged.append((None, []))
            continue
        said.add(claim)
        reading.covered.update(news)
        judged.append((judgement["holds"], news))
    return _trace_check(judged, len(world.needed_keys))


_CUT = re.compile(rf"\n+|(?<=[.;!?]){_S}+")
_MARK = re.compile(rf"[{_SPACES}*\-\u2022]*(?:[0-9]+[.)])?{_S}*")


def _sentences(think):
    sentences = (_MARK.sub("", part, count=1).rstrip(_SPACES + ".;!?*") for part in _CUT.split(think))
    return [sentence for sentence in sentences if sentence != ""]


def _judge(reading, sentence):
    decides = re.fullmatch(r"what decides it (?:is that )?(.+)", sentence)
    text = sentence if decides is None else decides.group(1)
    judgement = None
    for judge in (_judge_conclusion, _judge_noticing, _judge_belief, _judge_event, _judge_location):
        judgement = judge(reading, text)
        if judgement is not None:
            break
    if decides is None or judgement is None:
        return judgement
    return _judge_deciding(reading, judgement.get("events", []))


def _value_of(shown, question):
    if question["form"] == "names":
        knowing = [who for who in question["chain"] if _deciding(shown, {**question, "chain": [who]}) is not None]
        return ", ".join(knowing) or "nobody"
    deciding = _deciding(shown, question)
    value = None if deciding is None else deciding["value"]
    if question["form"] == "yes-no":
        return "no" if value is None else "yes"
    if question["form"] == "known":
        return "does not know about it" if value is None else "knows about it"
    return value


def _about(shown, question):
    return [s for s in shown if s["thing"] == question["thing"] and s["property"] == question["property"]]


def _deciding(shown, question):
    """The showing that decides a question: for a belief, the last one that reached the chain."""
    chain, when, value = question["chain"], question["when"], question.get("value")
    about = [s for s in _about(shown, question) if value is None or s["value"] == value]
    reaching = [s for s in about if (s["reach"](chain) if chain else s["real"])]
    if when == "beginning":
        return next((s for s in reaching if s["value"] is not None), None)
    in_time = reaching if when == "end" else [s for s in reaching if s["action"] < when]
    return in_time[-1] if in_time else None


def _judge_deciding(reading, events):
    world = reading.world
    deciding = _deciding(world.shown if world.question["chain"] else world.needed, world.question)
    if deciding is None or deciding["action"] not in events:
        return {"holds": False}
    reading.cursor = deciding["action"]
    return {"holds": True, "covers": [f"event {deciding['action']}"]}


def _judge_conclusion(reading, text):
    world = reading.world
    said = re.fullmatch(r"the (?:final |correct )?answer is (?:the )?(.+)", text)
    answer = None if said is None else _value_of(world.shown, world.question)
    if answer is None:
        return None
    is_list = world.question["form"] == "names" and world.match("{who}", said.group(1)) is not None

    def normal(words):
        return sorted(world.agents_in(words)) if is_list else words

    return {"holds": normal(said.group(1)) == normal(plain_words(answer))}


_SAW = (
    "{who}(?: both| all)?( did not| didn t| never)? (?:saw|see|sees|witnessed|witness|noticed|notice)"
    "(?: that| this| it| the move)"
)
_NOBODY_SAW = re.compile(
    r"(?:none of them|(nobody|no one)|neither(?: of them)?) (?:saw|sees|witnessed|noticed) (?:that|this|it)"
)


def _judge_noticing(reading, text):
    world, cursor = reading.world, reading.cursor
    chain = world.question["chain"]
    found, none = world.match(_SAW, text), _NOBODY_SAW.fullmatch(text)
    at_hand = [s for s in _about(world.shown, world.question) if s["action"] == cursor]
    if (found is None and none is None) or not at_hand:
        return None
    everybody = chain if none is None or none.group(1) is None else list(world.agents.values())
    named = everybody if found is None else world.agents_in(found.group(1))
    if not named:
        return None
    seers = [agent for agent in world.agents.values() if at_hand[-1]["reach"]([agent])]
    negated = found is None or found.group(2) is not None
    if any((agent in seers) == negated for agent in named):
        return {"holds": False, "that": cursor}
    stated = reading.stated[cursor] = reading.stated.get(cursor, []) + named
    needed = [agent for agent in chain if agent in seers] or chain
    complete = all(agent in stated for agent in needed)
    return {"holds": True, "covers": [f"noticed {cursor}"] if complete else [], "that": cursor}


_NOT = "(?:does not|doesn t|did not) "
_THINKS = "(?:thinks?|believes?|knows?|assumes?|expects?)(?: that)? "
_BELIEVES = (
    "((?:{who} (?:really )?(?:" + _NOT + ")?" + _THINKS + ")+)"
    "{thing}(?: is| was| to be)?(?: still| now)? in {place}(?: now)?"
)
_SEARCHES = (
    "((?:{who} (?:thinks?|believes?)(?: that)? )*{who} )(?:will|would) (?:look|search) for {thing} in {place}"
)
# Longer chains and lists are unread: the number of chains grows exponentially with the lists.
_MOST_MINDS = 8


def _judge_belief(reading, text):
    world = reading.world
    claim = world.match(_BELIEVES, text) or world.match(_SEARCHES, text)
    if claim is None:
        return None
    thing, place = claim.groups()[-2:]
    minds = [world.agents_in(words) for words in re.split(_THINKS, claim.group(1))]
    named = [agent for agents in minds for agent in agents]
    if len(set(named)) != len(named) or len(named) > _MOST_MINDS:
        return None
    question = {**_about_of(world, thing, place), "when": "end", "form": "value"}
    chains = list(itertools.product(*(agents for agents in minds if agents)))
    so_far = [s for s in world.shown if s["action"] <= reading.cursor]
    states = [
        [_plain(_value_of(shown, {**question, "chain": list(chain)})) for chain in chains]
        for shown in (so_far, world.shown)
    ]
    if len(re.findall(_NOT, claim.group(1))) % 2 == 1:
        return {"holds": all(place not in beliefs for beliefs in states)}
    return {"holds": any(all(belief == place for belief in beliefs) for beliefs in states)}


_MOVED = (
    "{who} (?:moved|moves|put|puts|placed|places|took|takes|transferred|carried) {thing} "
    "(?:from (?:{place}|.+) )?(?:to|into|in|inside) {place}"
)
_TOLD = (
    "{who} (?:privately |(publicly ))?(?:told|tells|(claimed|claims|said|says))(?: privately to|"
    "( out loud| all who were there| everyone))?(?: {who})? (?:that {thing} is in {place}|about (.+))"
)
_TAKEN = "{thing} (?:is|was) taken away"
_CAME = (
    "{who} (?:(entered|enters|went into|came into|comes into)|exited|exits|left|leaves)(?: {place})?"
)
_STAYED = "{who} (?:made no movements and |made no move and )?(?:stayed|stays)(?: in {place}.*)?"


def _judge_event(reading, text):
    world = reading.world
    moved = world.match(_MOVED, text)
    if moved is not None:
        who, thing, start, place = moved.groups()
        named = _thing_of(world, thing)

        def was_there(action):
            index = next(index for index, one in enumerate(world.actions) if one is action)
            before = {**_about_of(world, thing, start), "chain": [], "when": index, "form": "value"}
            return _plain(_value_of(world.shown, before)) == start

        def is_move(action):
            target = {"move": action.get("place"), "carry": action.get("room")}.get(action["act"])
            is_there = target is not None and action.get("thing") == named and _plain(target) == place
            return is_there and _by_one(world, action, who) and (start is None or was_there(action))

        return _found(reading, is_move)
    told = world.match(_TOLD, text)
    if told is not None:
        who, publicly, claimed, aloud, listener, thing, value, topic = told.groups()
        named = _thing_of(world, re.sub("^the ", "", topic) if thing is None else thing)

        def is_telling(action):
            if action["act"] != "tell" or not _by_one(world, action, who):
                return False
            if listener is None:
                if (publicly or claimed or aloud) and action["to"] is not None:
                    return False
            elif action["to"] is None or _plain(action["to"]) != listener:
                return False
            return action["thing"] == named and (thing is None or _plain(action["value"]) == value)

        return _found(reading, is_telling)
    taken = world.match(_TAKEN, text)
    if taken is not None:
        named = _thing_of(world, taken.group(1))
        return _found(reading, lambda action: action["act"] == "carry" and action["thing"] == named)
    came = world.match(_CAME, text)
    if came is not None:
        who, entered, room = came.groups()
        act = "exit" if entered is None else "enter"

        named = world.agents_in(who)

        def is_coming(action, agents=named):
            if action["act"] != act or (room is not None and _plain(action["room"]) != room):
                return False
            comers = action["who"] if isinstance(action["who"], list) else [action["who"]]
            return all(agent in comers for agent in agents)

        together = _found(reading, is_coming)
        if together["holds"]:
            return together
        return {"holds": all(any(is_coming(action, [agent]) for action in world.actions) for agent in named)}
    stayed = world.match(_STAYED, text)
    if stayed is not None:
        return _found(reading, lambda action: action["act"] == "stay" and _by_one(world, action, stayed.group(1)))

    def is_change(action):
        return action["act"] == "change" and _plain(f"{action['who']} {action['state']}") == text

    change = _found(reading, is_change)
    return change if change["holds"] else None


_LOCATED = (
    "(at first |initially |originally |in the beginning )?"
    "{thing} (?:is|was|starts|started|remains|stays|ended up)"
    "( still| now| initially| originally| finally| really)? (?:in|inside|at) {place}"
    "( now| at the end| at first| initially| at the beginning| really)?"
)


def _judge_location(reading, text):
    world = reading.world
    found = world.match(_LOCATED, text)
    if found is None:
        return None
    before, thing, middle, place, after = found.groups()
    adverb = " ".join(part or "" for part in (before, middle, after))
    about = _about_of(world, thing, place)
    real = [s for s in _about(world.shown, about) if s["real"]]
    right = [s for s in real if _plain(s["value"]) == place]
    if re.search("first|initially|originally|beginning", adverb):
        if not right or right[0]["action"] != real[0]["action"]:
            return {"holds": False}
        reading.cursor = real[0]["action"]
        covers = [f"event {reading.cursor}"] if _about(world.needed, about) else []
        return {"holds": True, "covers": covers, "events": [reading.cursor]}
    if re.search("now|end|finally|really", adverb):
        return {"holds": len(right) > 0 and right[-1] is real[-1]}
    if not right:
        return {"holds": False}
    shows = [s for s in _about(world.needed, about) if _plain(s["value"]) == place]
    fresh = [s for s in shows if s["action"] >= reading.cursor and f"event {s['action']}" not in reading.covered]
    told = next((s for s in fresh if _is_told(world, s)), None)
    if told is not None:
        reading.cursor = told["action"]
    return {
        "holds": True,
        "covers": [] if told is None else [f"event {told['action']}"],
        "events": [s["action"] for s in shows],
    }


def _is_told(world, showing):
    return world.actions[showing["action"]]["act"] == "announce" or world.question["property"] == "room"


def _found(reading, fits):
    indices = [index for index, action in enumerate(reading.world.actions) if fits(action)]
    fresh = [index for index in indices if f"event {index}" not in reading.covered]
    later = [index for index in fresh if index > reading.cursor]
    candidates = later or fresh or indices
    if not candidates:
        return {"holds": False}
    index = reading.cursor = candidates[0]
    return {"holds": True, "covers": [f"event {index}"], "events": indices}


def _by_one(world, action, words):
    named = world.agents_in(words)
    return len(named) == 1 and action.get("who") == named[0]


def _thing_of(world, words):
    asked = world.question["thing"]
    names = [asked, *(action["thing"] for action in world.actions if "thing" in action)]
    return asked if words == "it" else next((name for name in names if _plain(name) == words), None)


def _about_of(world, thing, place):
    is_room = any("room" in action and _plain(action["room"]) == place for action in world.actions)
    return {"thing": _thing_of(world, thing), "property": "room" if is_room else "place"}


# ---------------------------------------------------------------- the reward


def _preset_parts(preset, evidence):
    format_holds, correct, answer = evidence["format_holds"], evidence["correct"], evidence["answer"]
    trace = evidence["trace"]
    if preset == "answer-only":
        return [1 if correct else 0]
    if preset == "tom-rl":
        if not format_holds or answer is None:
            return [1 if format_holds else -1, -2]
        suffix = _normalized(evidence["gold"])
        return [1, 2 if suffix != "" and _normalized(answer).endswith(suffix) else -2]
    if preset in ("rlvr-tom", "logic-rl"):
        held, broken, right, wrong, unreadable = {
            "rlvr-tom": (0.1, 0, 1, 0, 0),
            "logic-rl": (1, -1, 2, -1.5, -2),
        }[preset]
        if not format_holds:
            return [broken, unreadable]
        if answer is None or answer == "":
            return [held, unreadable]
        return [held, right if correct else wrong]
    # faithful
    form = 1 if format_holds else -1
    if trace is None or not format_holds:
        return [form, 0]
    support = trace["validity"] * trace["coverage"]
    falsehood = 0 if trace["read"] == 0 else 1 - trace["validity"]
    return [form, 2 * support, 0 if falsehood == 0 else -0.5 * falsehood, support if correct else 0]


def _think_parts(think, settings):
    words = len(_words(think))
    least, target = settings["minimumThinkWords"], settings["targetThinkWords"]
    parts = []
    if least > 0:
        parts.append(0 - max(0, least - words) / least)
    if target > 0:
        parts.append(0 - min(1, abs(words - target) / target))
    return parts


def evidence_of(completion, item):
    """Collects the evidence from which the reward is computed."""
    format_holds, think, answer = read_completion(completion)
    return {
        "think": think,
        "answer": answer,
        "gold": item["answer"],
        "correct": is_right(answer, item),
        "format_holds": format_holds,
        "trace": check_trace(think, item),
    }


def total_of(evidence, settings):
    """The reward without its penalties on the number of tokens."""
    total = 0
    for part in _preset_parts(settings["preset"], evidence) + _think_parts(evidence["think"], settings):
        total += part  # one by one, as in Marble: Python's sum rounds differently
    return total


@functools.lru_cache(maxsize=2048)
def _item(text):
    """Parses an item, with a cache, since the samples of one prompt are judged consecutively."""
    return json.loads(text)


def with_length_terms(total, tokens, length):
    """The reward with its length penalties; `tokens` includes an end token."""
    limit, buffer = length["limit"], length["overlongBuffer"]
    if buffer > 0:
        total += -min(max(0, tokens - (limit - buffer)), buffer) / buffer
    if length["lengthPenalty"] > 0:
        total += -length["lengthPenalty"] * tokens / limit
    return total


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    """For verl: `reward.custom_reward_function`. The reward manager adds the length penalties (run-verl.sh)."""
    found = evidence_of(solution_str, _item(extra_info["item"]))
    total = float(total_of(found, SETTINGS))
    trace = found["trace"] or {"validity": 0.0, "coverage": 0.0}
    return {
        "score": total,
        "outcome": total,
        "acc": float(found["correct"]),
        "format": float(found["format_holds"]),
        "trace_validity": trace["validity"],
        "trace_coverage": trace["coverage"],
    }


def marble_reward(prompts, completions, completion_ids, item, **_):
    """For TRL: `reward_funcs`. Returns one reward per completion."""
    rewards = []
    for completion, ids, text in zip(completions, completion_ids, item):
        found = evidence_of(completion, _item(text))
        total = total_of(found, SETTINGS)
        length = SETTINGS["length"]
        if length is not None:
            total = with_length_terms(total, len(ids), length)
        rewards.append(float(total))
    return rewards
