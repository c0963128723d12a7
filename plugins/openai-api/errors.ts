import type { ErrorTable } from '#kernel'

/** The errors of requests in the form of OpenAI's API. */
export const openaiErrors = {
  PARAMETER_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'This value of “{parameter}” is not supported: an agent runs its own tools and writes one reply as text.',
      zh: '不支持“{parameter}”的这个值：智能体使用自己的工具，并以文本给出一条回复。',
    },
  },
  CONTENT_UNSUPPORTED: {
    status: 400,
    message: {
      en: '{path} cannot be used: {reason}.',
      zh: '无法使用 {path}：{reason}。',
    },
  },
  RESPONSE_NOT_FOUND: {
    status: 404,
    message: { en: 'There is no such response.', zh: '没有这个响应。' },
  },
} satisfies ErrorTable
