import type { ErrorTable } from '#plugin-api'

/** The errors of requests in the form of OpenAI's API. */
export const openaiErrors = {
  PARAMETER_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'This value of “{parameter}” is not supported: tools of the caller must be functions, and an agent writes one answer as text.',
      zh: '不支持“{parameter}”的这个值：调用方的工具只能是函数，且智能体只生成一条文本回答。',
    },
  },
  PARAMETER_INVALID: {
    status: 400,
    message: {
      en: '“{parameter}” cannot be used: {reason}.',
      zh: '无法使用“{parameter}”：{reason}。',
    },
  },
  CALLS_UNANSWERED: {
    status: 400,
    message: {
      en: 'The results of these calls are missing: {calls}. Send the results of all calls of an answer together.',
      zh: '缺少以下调用的结果：{calls}。请将同一条回答中所有调用的结果一起发送。',
    },
  },
  CALL_NOT_WAITING: {
    status: 400,
    message: {
      en: 'The call “{call}” is not waiting for a result in this thread: it already has one, or its turn has ended.',
      zh: '此对话中的调用“{call}”未在等待结果：它已有结果，或其轮次已结束。',
    },
  },
  CONTENT_UNSUPPORTED: {
    status: 400,
    message: {
      en: '{path} cannot be used: {reason}.',
      zh: '无法使用 {path}：{reason}。',
    },
  },
  CONVERSATION_UNSUPPORTED: {
    status: 400,
    code: 'PARAMETER_UNSUPPORTED',
    message: {
      en: '“conversation” is not supported: use previous_response_id to continue a response, or the header X-Thread-Id to name a thread.',
      zh: '不支持“conversation”：请用 previous_response_id 继续一个响应，或用请求头 X-Thread-Id 指定对话。',
    },
  },
  OPENAI_MODEL_NOT_FOUND: {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    message: {
      en: 'The model “{model}” does not exist, or you cannot use it. GET /v1/models lists the models you can use.',
      zh: '模型“{model}”不存在，或您无权使用。GET /v1/models 会列出可用的模型。',
    },
  },
  RESPONSE_NOT_FOUND: {
    status: 404,
    message: { en: 'The response does not exist.', zh: '该响应不存在。' },
  },
  CONVERSATIONS_UNSUPPORTED: {
    status: 404,
    code: 'OPERATION_UNSUPPORTED',
    message: {
      en: 'The Conversations API is not supported: use previous_response_id to continue a response, or the header X-Thread-Id to name a thread.',
      zh: '不支持 Conversations API：请用 previous_response_id 继续一个响应，或用请求头 X-Thread-Id 指定对话。',
    },
  },
  RESPONSE_END_UNSUPPORTED: {
    status: 405,
    code: 'OPERATION_UNSUPPORTED',
    message: {
      en: 'A single response cannot be deleted or canceled: close the connection to stop it, or delete its thread.',
      zh: '无法单独删除或取消一个响应：请关闭连接以停止它，或删除其对话。',
    },
  },
  RESPONSE_INPUT_UNSUPPORTED: {
    status: 404,
    code: 'OPERATION_UNSUPPORTED',
    message: {
      en: 'The input of responses cannot be listed, counted or compacted here: read the history of the thread named by the header X-Thread-Id.',
      zh: '此处不列出、计算或压缩响应的输入：请读取请求头 X-Thread-Id 所指对话的历史记录。',
    },
  },
  OPERATION_UNSUPPORTED: {
    status: 404,
    message: {
      en: 'This server supports only /v1/models, /v1/chat/completions and /v1/responses of the OpenAI API.',
      zh: '对于 OpenAI API，此服务器仅支持 /v1/models、/v1/chat/completions 和 /v1/responses。',
    },
  },
} satisfies ErrorTable

/** The errors that a request for a reply may be answered with. */
export const TURN_ERRORS = [
  'OPENAI_MODEL_NOT_FOUND',
  'AGENT_NOT_RUNNING',
  'THREAD_NOT_FOUND',
  'THREAD_PAUSED',
  'THREAD_BUSY',
  'TOO_MANY_TURNS',
  'LIMIT_REACHED',
  'PARAMETER_UNSUPPORTED',
  'PARAMETER_INVALID',
  'CALLS_UNANSWERED',
  'CALL_NOT_WAITING',
  'CONVERSATION_UNSUPPORTED',
  'CONTENT_UNSUPPORTED',
  'FILTER_REFUSED',
  'FILTER_FAILED',
  'NO_MODEL',
  'MODEL_DISABLED',
  'MODEL_AUTH_FAILED',
  'MODEL_QUOTA_EXHAUSTED',
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_NOT_FOUND',
  'MODEL_ANSWER_TOO_LONG',
  'MODEL_CALL_FAILED',
  'TOKEN_QUOTA_EXCEEDED',
  'BUDGET_EXCEEDED',
  'PRICE_UNKNOWN',
  'TURN_INTERRUPTED',
] as const
