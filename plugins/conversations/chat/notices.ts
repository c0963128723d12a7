import { createPhrases, type LocalizedText } from '#plugin-api'

/** The notices about an answer, by code. */
const texts = {
  PICTURES_NOT_SEEN: {
    en: '{model} does not accept pictures, so it answered without them.',
    zh: '{model} 不接受图片，已在没有图片的情况下回答。',
  },
  PICTURE_TOO_LARGE: {
    en: '{name} exceeds the {limit} limit of {model}, so the model has not seen it.',
    zh: '{name} 超过了 {model} 的 {limit} 上限，模型未能看到它。',
  },
  PICTURE_UNREADABLE: {
    en: '{name} cannot be read as a PNG, JPEG, GIF or WebP picture, so the model has not seen it.',
    zh: '{name} 无法作为 PNG、JPEG、GIF 或 WebP 图片读取，模型未能看到它。',
  },
  PICTURES_LEFT_OUT: {
    en: '{model} accepts at most {most} pictures, so it has seen only your last ones.',
    zh: '{model} 最多接受 {most} 张图片，只看到了最后几张。',
  },
  MODEL_FALLBACK: {
    en: '{from} did not respond, so {to} answered.',
    zh: '{from} 没有响应，已由 {to} 回答。',
  },
  SUMMARIZED: {
    en: 'This is a long conversation: {messages} earlier messages were summarized for the model.',
    zh: '对话较长，之前的 {messages} 条消息已总结后提供给模型。',
  },
  FILTER_FAILED: {
    en: 'The filter "{filter}" failed, so the rest of the answer was withheld.',
    zh: '过滤器“{filter}”出错，回答的其余部分未显示。',
  },
  SHORTENED: {
    en: 'The conversation is too long for {model}, so its beginning was left out.',
    zh: '对话超出了 {model} 的长度限制，本次省略了开头部分。',
  },
} satisfies Record<string, LocalizedText>

/** The code of a notice. */
export type NoticeCode = keyof typeof texts

/** Describes a notice for a person; the details of the notice are the values in its text. */
export const describeNotice = createPhrases(texts)

/** True for the code of a notice that has a text here. */
export const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(texts, code)
