import type { SentFrame } from './frames.ts'

/** The fields of an error as the server sends it. */
export interface ErrorFields {
  code: string
  message: string
  details?: Record<string, unknown>
  request_id?: string
}

/** The source of an error. */
interface ErrorOrigin {
  status?: number
  frame?: SentFrame<'error'>
  cause?: unknown
}

/** A turn that failed, a call that was refused, or a connection that could not be restored. */
export class ChatError extends Error {
  /** The code of the server, or one of the client: `UNREACHABLE`, `CLOSED`, `INVALID_REPLY`. */
  code: string
  details: Record<string, unknown>
  /** The status of the HTTP answer, if there was one. */
  status: number | undefined
  request_id: string | undefined
  /** The frame of the server, if it sent one. */
  frame: SentFrame<'error'> | undefined

  constructor({ code, message, details = {}, request_id }: ErrorFields, origin: ErrorOrigin = {}) {
    super(message, 'cause' in origin ? { cause: origin.cause } : undefined)
    this.name = 'ChatError'
    this.code = code
    this.details = details
    this.request_id = request_id
    this.status = origin.status
    this.frame = origin.frame
  }
}

/** Reads the error of an HTTP answer that is not 2xx. */
export async function readRefusal(response: Response): Promise<ChatError> {
  const body = (await response.json().catch(() => undefined)) as { error?: ErrorFields } | undefined
  // A proxy may have answered with a page of its own; then only the status is known.
  const fields = body?.error ?? {
    code: 'INVALID_REPLY',
    message: `The server answered with status ${response.status}.`,
  }
  return new ChatError(fields, { status: response.status })
}
