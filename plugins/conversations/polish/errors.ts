import type { ErrorTable } from '#plugin-api'

/** Errors of polishing a prompt, besides the errors of a model call. */
export const polishErrors = {
  POLISH_EMPTY: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The model "{model}" returned no text. Try again or choose another model.',
      zh: '模型“{model}”没有返回任何文本，请重试或改用其他模型。',
    },
  },
  POLISH_INCOMPLETE: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The model "{model}" stopped before its text was complete. Shorten the prompt or choose another model.',
      zh: '模型“{model}”未能输出完整文本，请缩短提示词或改用其他模型。',
    },
  },
  POLISH_TIMED_OUT: {
    status: 504,
    level: 'warn',
    message: {
      en: 'The model "{model}" took longer than {seconds} seconds. Try again or choose another model.',
      zh: '模型“{model}”耗时超过 {seconds} 秒，请重试或改用其他模型。',
    },
  },
} satisfies ErrorTable
