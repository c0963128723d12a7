import type { Locale, LocalizedText } from '#kernel'
import type { StopReason } from './documents.ts'

/** The notices about an answer, by code. */
const texts = {
  PICTURES_NOT_SEEN: {
    en: '{model} did not take your pictures, so it answered without them.',
    zh: '{model} 未接受您的图片，已在没有图片的情况下回答。',
  },
  PICTURE_TOO_LARGE: {
    en: '{name} is larger than the {limit} that {model} takes, so it has not been seen.',
    zh: '{name} 超过了 {model} 可接受的 {limit}，模型未能看到它。',
  },
  PICTURE_UNREADABLE: {
    en: '{name} cannot be read as a PNG, JPEG, GIF or WebP picture, so the model has not seen it.',
    zh: '{name} 无法作为 PNG、JPEG、GIF 或 WebP 图片读取，模型未能看到它。',
  },
  PICTURES_LEFT_OUT: {
    en: '{model} takes at most {most} pictures, so it has seen only the last of yours.',
    zh: '{model} 最多接受 {most} 张图片，仅看到了最后的几张。',
  },
  MODEL_FALLBACK: {
    en: '{from} did not answer, so {to} did.',
    zh: '{from} 没有响应，已由 {to} 回答。',
  },
  SUMMARIZED: {
    en: 'The conversation was long, so {messages} earlier messages were summarized for the model.',
    zh: '对话较长，已为模型总结了之前的 {messages} 条消息。',
  },
  SHORTENED: {
    en: 'The conversation was too long for {model}, so its beginning was left out this time.',
    zh: '对话超出了 {model} 的长度限制，本次省略了开头部分。',
  },
} satisfies Record<string, LocalizedText>

/** The code of a notice. */
export type NoticeCode = keyof typeof texts

/** Describes a notice for a person; `details` are the values in its text. */
export const describeNotice = (
  code: NoticeCode,
  details: Readonly<Record<string, unknown>>,
  locale: Locale,
): string => texts[code][locale].replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''))

/** True for the code of a notice that has a text here. */
export const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(texts, code)

/** The ends of an answer that a person should know about. */
const ends: Partial<Record<StopReason, LocalizedText>> = {
  length: { en: 'The answer was cut off at its length limit.', zh: '回复达到长度上限，已被截断。' },
  filtered: { en: 'The provider withheld the rest of the answer.', zh: '服务商屏蔽了回复的其余部分。' },
  refused: { en: 'The model refused to answer.', zh: '模型拒绝回答。' },
  max_steps: { en: 'The agent reached its step limit and stopped.', zh: '智能体已达到步数上限，在此停止。' },
  stopped: { en: 'Stopped.', zh: '已停止。' },
}

/** Describes the end of an answer for a person; undefined if nothing needs to be said. */
export const describeEnd = (stop_reason: StopReason, locale: Locale): string | undefined =>
  ends[stop_reason]?.[locale]
