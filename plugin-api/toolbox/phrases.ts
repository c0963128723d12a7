import type { Locale, LocalizedText } from '#kernel'

/** Creates a function that returns a phrase of the table in a language, with `values` in place of `{name}`. */
export const createPhrases =
  <Name extends string>(table: Readonly<Record<Name, LocalizedText>>) =>
  (phrase: Name, locale: Locale, values: Readonly<Record<string, unknown>> = {}): string =>
    table[phrase][locale].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** The ends of an answer that a person should know about. */
const ENDS = {
  length: { en: 'The answer reached its length limit and was cut off.', zh: '回答达到长度上限，已被截断。' },
  filtered: {
    en: 'A content filter withheld the rest of the answer.',
    zh: '内容过滤器屏蔽了回答的其余部分。',
  },
  refused: { en: 'The model declined to answer.', zh: '模型拒绝回答。' },
  max_steps: { en: 'The agent reached its step limit and stopped.', zh: '智能体已达到步骤上限，在此停止。' },
  stopped: { en: 'Stopped.', zh: '已停止。' },
  no_answer: { en: 'The agent did not answer.', zh: '智能体没有给出回答。' },
} satisfies Record<string, LocalizedText>

/** Describes the end of an answer for a person. */
export const sayEnd = createPhrases(ENDS)

/** Describes why an answer has ended; undefined for a reason of which nothing needs to be said. */
export const describeEnd = (stop_reason: string, locale: Locale): string | undefined =>
  Object.hasOwn(ENDS, stop_reason) ? sayEnd(stop_reason as keyof typeof ENDS, locale) : undefined
