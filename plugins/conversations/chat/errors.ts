import type { ErrorTable } from '#kernel'

/** The errors of conversations. */
export const chatErrors = {
  THREAD_NOT_FOUND: { status: 404, message: { en: 'The thread does not exist.', zh: '找不到该会话。' } },
  REPLY_NOT_FOUND: {
    status: 404,
    message: { en: 'The reply does not exist in this thread.', zh: '此会话中找不到该回复。' },
  },
  THREAD_BUSY: {
    status: 409,
    message: {
      en: '{waiting} turns of this thread are already queued. Wait for an answer first.',
      zh: '此会话已有 {waiting} 个排队中的回合，请先等待回复。',
    },
  },
  THREAD_PAUSED: {
    status: 409,
    message: {
      en: 'A turn of this thread waits for a person: decide its approval first.',
      zh: '此会话有一个回合正在等待人工处理，请先处理其审批。',
    },
  },
  TOO_MANY_TURNS: {
    status: 429,
    message: {
      en: 'Too many of your messages are queued. At most {max} can wait for an answer.',
      zh: '等待回复的消息过多，最多可有 {max} 条排队。',
    },
  },
  EMPTY_ANSWER: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The model answered with nothing, twice. Send the message again, or choose another model.',
      zh: '模型两次返回了空的回复。请重新发送消息，或改用其他模型。',
    },
  },
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
      en: 'The answer could not be stored, so it is not kept. Send the message again.',
      zh: '回复无法保存，因此未被保留。请重新发送消息。',
    },
  },
  TURN_INTERRUPTED: {
    status: 503,
    message: {
      en: 'The server stopped while this turn was running. Its text so far is kept; send the message again to continue.',
      zh: '回合进行中服务器已停止。已生成的内容会保留，请重新发送消息以继续。',
    },
  },
} satisfies ErrorTable
