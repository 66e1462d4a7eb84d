/** Text to token ids and back, from the model's own tokenizer.json. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface Tokenizer {
  readonly vocabularySize: number;
  /** Ids that end a completion. */
  readonly stopIds: number[];
  /** Text from a user or a data set: never read as special tokens. */
  encode(text: string): number[];
  /** Special tokens are left out unless asked for. */
  decode(ids: readonly number[], options?: { keepSpecial?: boolean }): string;
  /** The model's chat template with the generation prompt, as ids. Throws `model/no-chat-template` where there is none. */
  chat(messages: ChatMessage[]): number[];
  readonly hasChatTemplate: boolean;
}
