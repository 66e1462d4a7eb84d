"""Measures the step of step.ts in PyTorch's eager mode, in f32: python step.py SETTINGS. Random prompts use a plain llama with
a KV cache, which prefills each prompt once; messages use transformers and PEFT. Training runs on whole sequences, as in
TRL."""
import json, os, re, resource, sys, time
settings = json.loads(sys.argv[1])
import torch, torch.nn.functional as F
torch.set_num_threads(settings['threads'])
torch.manual_seed(1)
S, T, PT = settings['samples'], settings['newTokens'], settings['promptTokens']
config = json.load(open(os.path.join(settings['model'], 'config.json')))
times = dict(sampling=[], reference=[], training=[], update=[])


def timed(phase, work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    times[phase].append((time.process_time() - cpu, time.perf_counter() - wall))
    return result


class Plain:
    def __init__(self):
        hidden, heads, kv, width = (config[k] for k in ('hidden_size', 'num_attention_heads', 'num_key_value_heads', 'intermediate_size'))
        self.size = config.get('head_dim') or hidden // heads
        shapes = dict(q=(heads * self.size, hidden), k=(kv * self.size, hidden), v=(kv * self.size, hidden), o=(hidden, heads * self.size),
                      g=(width, hidden), u=(width, hidden), d=(hidden, width))
        self.kv, self.layers, self.vocabulary, rank = kv, config['num_hidden_layers'], config['vocab_size'], settings['rank']
        whole = rank is None
        self.trained = []
        def weight(*shape, scale=.02, trained=whole):
            tensor = torch.randn(shape) * scale if scale else torch.zeros(shape)
            if trained: self.trained.append(tensor.requires_grad_())
            return tensor
        def vector(n, value):
            tensor = torch.full((n,), value)
            if whole: self.trained.append(tensor.requires_grad_())
            return tensor
        self.embedding = weight(self.vocabulary, hidden)
        self.head = self.embedding if config.get('tie_word_embeddings') else weight(self.vocabulary, hidden)
        biased = 'qkv' if config['model_type'] == 'qwen2' else ''
        self.blocks = [dict(w={n: weight(*s) for n, s in shapes.items()}, bias={n: vector(shapes[n][0], 0.) for n in biased},
                            n1=vector(hidden, 1.), n2=vector(hidden, 1.),
                            a={} if whole else {n: weight(rank, s[1], scale=s[1] ** -.5, trained=True) for n, s in shapes.items()},
                            b={} if whole else {n: weight(s[0], rank, scale=0, trained=True) for n, s in shapes.items()}) for _ in range(self.layers)]
        self.last = vector(hidden, 1.)
        angles = torch.outer(torch.arange(PT + T).float(), config.get('rope_theta', 1e4) ** -(torch.arange(0, self.size, 2) / self.size))
        self.cos, self.sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)

    def norm(self, x, w): return F.rms_norm(x, w.shape, w, config['rms_norm_eps'])

    def rope(self, x, at):
        a, b = x.chunk(2, -1)
        span = slice(at, at + x.shape[2])
        return x * self.cos[span] + torch.cat([-b, a], -1) * self.sin[span]

    def linear(self, block, name, x, adapted):
        y = F.linear(x, block['w'][name], block['bias'].get(name))
        return y + 2 * F.linear(F.linear(x, block['a'][name]), block['b'][name]) if adapted and block['a'] else y

    def run(self, ids, adapted, caches=None, at=0):
        x = self.embedding[ids]
        for i, block in enumerate(self.blocks):
            h = self.norm(x, block['n1'])
            q, k, v = (self.linear(block, n, h, adapted).unflatten(-1, (-1, self.size)).transpose(1, 2) for n in 'qkv')
            q, k = self.rope(q, at), self.rope(k, at)
            if caches:
                end = at + ids.shape[1]
                caches[i][0][:, :, at:end], caches[i][1][:, :, at:end] = k, v
                k, v = caches[i][0][:, :, :end], caches[i][1][:, :, :end]
            o = F.scaled_dot_product_attention(q, k, v, is_causal=ids.shape[1] > 1, enable_gqa=True)
            x = x + self.linear(block, 'o', o.transpose(1, 2).flatten(2), adapted)
            h = self.norm(x, block['n2'])
            x = x + self.linear(block, 'd', F.silu(self.linear(block, 'g', h, adapted)) * self.linear(block, 'u', h, adapted), adapted)
        return self.norm(x, self.last)

    @torch.no_grad()
    def sample(self):
        prompts = torch.randint(0, self.vocabulary, (settings['prompts'], PT))
        caches = [[torch.zeros(len(prompts), self.kv, PT + T, self.size) for _ in 'kv'] for _ in self.blocks]
        h = self.run(prompts, True, caches)[:, -1].repeat_interleave(S, 0)
        caches = [[c.repeat_interleave(S, 0) for c in pair] for pair in caches]
        drawn = []
        for t in range(T):
            drawn.append(torch.multinomial(F.linear(h, self.head).softmax(-1), 1))
            if t + 1 < T: h = self.run(drawn[-1], True, caches, PT + t)[:, 0]
        return torch.cat([prompts.repeat_interleave(S, 0), torch.cat(drawn, 1)], 1), [PT] * (len(prompts) * S), [T] * (len(prompts) * S)

    def logprobs(self, rows, starts, adapted):
        logits = F.linear(self.run(rows[:, :-1], adapted)[:, PT - 1:], self.head)
        return logits.log_softmax(-1).gather(-1, rows[:, PT:, None])[..., 0]


class Pretrained:
    def __init__(self):
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from peft import LoraConfig, PeftModel, get_peft_model
        self.tokenizer = AutoTokenizer.from_pretrained(settings['model'], padding_side='left')
        model = AutoModelForCausalLM.from_pretrained(settings['model'], dtype=torch.float32)
        self.model = PeftModel.from_pretrained(model, settings['adapter'], is_trainable=True) if 'adapter' in settings else \
            get_peft_model(model, LoraConfig(r=settings['rank'], lora_alpha=2 * settings['rank'], target_modules='all-linear'))
        self.trained = [p for p in self.model.parameters() if p.requires_grad]

    @torch.no_grad()
    def sample(self):
        texts = [self.tokenizer.apply_chat_template([dict(role='user', content=m)], tokenize=False, add_generation_prompt=True) + '<think>' for m in settings['messages']]
        batch = self.tokenizer([t for t in texts for _ in range(S)], return_tensors='pt', padding=True, add_special_tokens=False)
        rows = self.model.generate(**batch, do_sample=True, temperature=1., top_k=0, top_p=1., max_new_tokens=T, pad_token_id=self.tokenizer.pad_token_id)
        self.prompt, self.pads = batch.input_ids.shape[1], (1 - batch.attention_mask).sum(1)
        ends = (rows[:, self.prompt:] == self.tokenizer.eos_token_id).int()
        lengths = [int(e.argmax()) + 1 if e.any() else e.shape[0] for e in ends]
        return rows, self.pads.tolist(), lengths

    def logprobs(self, rows, starts, adapted):
        """Log-probabilities of rows with left-padded prompts, without the padding that all rows share."""
        skip = int(min(starts))
        rows = rows[:, skip:]
        mask = (torch.arange(rows.shape[1]) >= torch.tensor(starts)[:, None] - skip).long()
        keep = rows.shape[1] - (self.prompt - skip) + 1
        logits = self.model(input_ids=rows, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp_min(0), logits_to_keep=keep).logits[:, :-1]
        return logits.log_softmax(-1).gather(-1, rows[:, self.prompt - skip:, None])[..., 0]


policy = Pretrained() if 'messages' in settings else Plain()
optimizer = torch.optim.AdamW(policy.trained, lr=1e-4, betas=(.9, .95), weight_decay=0)
warm = 1 if settings['steps'] > 1 else 0
for _ in range(warm + settings['steps']):
    rows, starts, lengths = timed('sampling', policy.sample)
    total = sum(lengths)
    # Number of concurrent sequences: 160 MB of logits, but at least 8 sequences.
    size = max(8, int(4e7 / (config['vocab_size'] * T)))
    groups = [slice(i, min(len(rows), i + size)) for i in range(0, len(rows), size)]
    if settings['reference']:
        with torch.no_grad(): timed('reference', lambda: [policy.logprobs(rows[g], starts[g], False) for g in groups])
    def train():
        for g in groups:
            mask = (torch.arange(rows.shape[1])[None] < torch.tensor(lengths[g])[:, None]).float()
            lp = policy.logprobs(rows[g], starts[g], True)
            advantages = torch.tensor([(i % S) - (S - 1) / 2 for i in range(g.start, g.stop)])
            (lp * mask[:, :lp.shape[1]] * advantages[:, None]).sum().div(-total).backward()
    timed('training', train)
    def update():
        torch.nn.utils.clip_grad_norm_(policy.trained, 1.)
        optimizer.step(); optimizer.zero_grad()
    timed('update', update)
def resident():
    try: return 1024 * int(re.search(r'VmHWM:\s+(\d+)', open('/proc/self/status').read())[1])
    except OSError: return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
middle = lambda values: sorted(values)[len(values) // 2] if values else 0
print(json.dumps(dict(phases={k: dict(cpu=middle([c for c, _ in v[warm:]]), wall=middle([w for _, w in v[warm:]])) for k, v in times.items()},
                      responseTokens=total, resident=resident())))
