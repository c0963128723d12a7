import type { Manifests } from './contract/additions.ts'
import type { LocalizedText } from './locale.ts'

/** One documented error: its HTTP status, the level it is logged at and its message, `{name}` filled from details. */
export interface ErrorDefinition {
  status: number
  /** The code that clients read, if it is that of another entry with another status. */
  code?: string
  level?: 'debug' | 'info' | 'warn' | 'error'
  message: LocalizedText
}

/** Errors by their UPPER_SNAKE code. */
export type ErrorTable = Record<string, ErrorDefinition>

// The copy of this package that a plugin has installed makes the same.
const APP_ERROR = Symbol.for('agent-platform-service:error')

/** An expected failure, as opposed to a bug; its code is in the error table of some plugin. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(code, options)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }

  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return typeof value === 'object' && value !== null && APP_ERROR in value
  }
}

Object.defineProperty(AppError.prototype, APP_ERROR, { value: true })

/** The errors that the kernel itself answers with. */
export const kernelErrors = {
  BAD_REQUEST: {
    status: 400,
    message: { en: 'The request is not valid HTTP.', zh: '请求不是有效的 HTTP。' },
  },
  BAD_JSON: {
    status: 400,
    message: { en: 'The body is not valid JSON.', zh: '请求体不是有效的 JSON。' },
  },
  ADDRESS_NOT_ALLOWED: {
    status: 400,
    message: {
      en: 'The address "{host}" is not allowed: it is in a local or private network.',
      zh: '不允许访问地址“{host}”：它属于本机或内部网络。',
    },
  },
  BAD_FORM: {
    status: 400,
    message: { en: 'The multipart body is incomplete.', zh: '请求体不是完整的 multipart 表单。' },
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: {
      en: 'The resource has changed. Fetch it again and retry.',
      zh: '资源已被更改，请重新获取后重试。',
    },
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: {
      en: 'This Idempotency-Key belongs to another request. Send a new key with a new request.',
      zh: '该 Idempotency-Key 属于另一个请求。新请求请使用新的键。',
    },
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    message: {
      en: 'The first request with this Idempotency-Key is still in progress. Try again in {retry_after_seconds} s.',
      zh: '使用该 Idempotency-Key 的第一个请求仍在处理，请在 {retry_after_seconds} 秒后重试。',
    },
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_IN_USE',
    message: {
      en: 'The first request with this Idempotency-Key failed, and its outcome is unknown: it may have taken effect. Check before you send it with another key.',
      zh: '使用该 Idempotency-Key 的第一个请求失败，结果未知：它可能已生效。请先确认，再使用新的键发送。',
    },
  },
  BAD_FRAME: {
    status: 400,
    message: { en: 'The frame is invalid: {reason}.', zh: '帧无效：{reason}。' },
  },
  FORBIDDEN: {
    status: 403,
    message: { en: 'You are not allowed to do this.', zh: '您没有权限执行此操作。' },
  },
  NOT_FOUND: { status: 404, message: { en: 'Not found.', zh: '未找到。' } },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: { en: 'This path does not support this method.', zh: '此路径不支持该方法。' },
  },
  LIMIT_REACHED: {
    status: 409,
    message: {
      en: 'The limit "{limit}" of {max} has been reached.',
      zh: '已达到上限“{limit}”（{max}）。',
    },
  },
  RATE_LIMITED: {
    status: 429,
    message: {
      en: 'Too many requests. Try again in {retry_after_seconds} s.',
      zh: '请求过于频繁，请在 {retry_after_seconds} 秒后重试。',
    },
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: { en: 'The request took too long to arrive.', zh: '请求接收超时。' },
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: { en: 'The body is larger than {limit} bytes.', zh: '请求体超过 {limit} 字节。' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: { en: 'This route accepts {expected}.', zh: '此路径只接受 {expected}。' },
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: {
      en: 'The range is outside the file, which has {size} bytes.',
      zh: '请求的范围超出文件大小（{size} 字节）。',
    },
  },
  UPGRADE_REQUIRED: {
    status: 426,
    message: { en: 'This path is a WebSocket.', zh: '此路径是 WebSocket。' },
  },
  VALIDATION_FAILED: {
    status: 422,
    message: { en: 'Some fields are not valid.', zh: '部分字段无效。' },
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: { en: 'The headers are too large.', zh: '请求头过大。' },
  },
  CLIENT_LEFT: {
    status: 499,
    message: { en: 'The client disconnected before the response.', zh: '客户端在收到响应前已断开。' },
  },
  INTERNAL_ERROR: {
    status: 500,
    level: 'error',
    message: {
      en: 'Something went wrong on the server. Include the request ID when you report it.',
      zh: '服务器内部错误。反馈时请附上请求编号。',
    },
  },
  SHUTTING_DOWN: {
    status: 503,
    message: { en: 'The server is shutting down.', zh: '服务器正在关闭。' },
  },
  STORAGE_FULL: {
    status: 507,
    level: 'warn',
    message: {
      en: 'The server’s disk is full. Nothing new can be saved until there is space; existing content can still be read and deleted.',
      zh: '服务器磁盘已满。腾出空间之前无法保存新内容；已保存的内容仍可读取和删除。',
    },
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    level: 'error',
    message: {
      en: 'The database is unavailable. Try again in a moment.',
      zh: '数据库暂不可用，请稍后重试。',
    },
  },
} satisfies ErrorTable

/** The codes of all errors, of the kernel and of every plugin. */
export type ErrorCode =
  | keyof typeof kernelErrors
  | { [Name in keyof Manifests]: ErrorsOf<Manifests[Name]> }[keyof Manifests]

type ErrorsOf<Of> = Of extends { readonly errors: infer Table } ? keyof Table & string : never

/** The configuration or a plugin cannot be used; the message is a sentence for the person who started the server. */
export class ConfigError extends Error {}
