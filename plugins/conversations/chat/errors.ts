import type { ErrorTable } from '#plugin-api'

/** The errors of conversations. */
export const chatErrors = {
  THREAD_NOT_FOUND: { status: 404, message: { en: 'The thread does not exist.', zh: '找不到该对话。' } },
  PROJECT_NOT_FOUND: { status: 404, message: { en: 'The project does not exist.', zh: '找不到该项目。' } },
  REPLY_NOT_FOUND: {
    status: 404,
    message: { en: 'The answer does not exist in this thread.', zh: '此对话中找不到该回答。' },
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    message: { en: 'The message does not exist in this thread.', zh: '此对话中找不到该消息。' },
  },
  THREAD_BUSY: {
    status: 409,
    message: {
      en: 'The thread is busy. Wait until its turns have ended.',
      zh: '此对话正忙，请等待当前回答结束。',
    },
  },
  NOTHING_TO_SUMMARIZE: {
    status: 409,
    message: {
      en: 'There is nothing to summarize: models still receive the last exchanges as they are.',
      zh: '没有可总结的内容：最近的对话会原样提供给模型。',
    },
  },
  THREAD_PAUSED: {
    status: 409,
    message: {
      en: 'A turn of this thread is waiting for a person. Answer its approval request first.',
      zh: '此对话正在等待人工处理，请先处理其审批。',
    },
  },
  TOO_MANY_TURNS: {
    status: 429,
    message: {
      en: 'Too many of your messages are queued. At most {max} can wait for an answer.',
      zh: '等待回答的消息过多，最多可有 {max} 条排队。',
    },
  },
  EMPTY_ANSWER: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The model returned an empty answer twice. Send the message again or choose another model.',
      zh: '模型两次返回了空的回答。请重新发送消息，或改用其他模型。',
    },
  },
  FILTER_FAILED: {
    status: 503,
    level: 'warn',
    message: {
      en: 'The filter "{filter}" failed, so nothing was sent to the model. Send the message again.',
      zh: '过滤器“{filter}”出错，消息未发送给模型。请重新发送消息。',
    },
  },
  FILTER_REFUSED: { status: 400, message: { en: '{message}', zh: '{message}' } },
  HITL_NOT_PENDING: {
    status: 409,
    message: {
      en: 'No approval is pending here, or it has already been decided.',
      zh: '这里没有待处理的审批，或已被处理。',
    },
  },
  TURN_NOT_STORED: {
    status: 500,
    message: {
      en: 'The answer could not be saved. Send the message again.',
      zh: '回答未能保存。请重新发送消息。',
    },
  },
  TURN_INTERRUPTED: {
    status: 503,
    message: {
      en: 'The server stopped during this turn. The text so far is kept; send the message again to continue.',
      zh: '回答过程中服务器停止了。已生成的内容会保留，请重新发送消息以继续。',
    },
  },
} satisfies ErrorTable
