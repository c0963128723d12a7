import { isAboutThread } from './error-codes.ts'
import { SlackRefusal } from './failure.ts'

/** Sends something into a thread, or beside it if the thread was deleted or takes no replies. */
export async function toleratingLostThread<Answer>(
  thread_ts: string | undefined,
  send: (thread: { thread_ts?: string }) => Promise<Answer>,
): Promise<Answer> {
  if (!thread_ts) return await send({})
  try {
    return await send({ thread_ts })
  } catch (error) {
    if (!(error instanceof SlackRefusal && isAboutThread(error.code))) throw error
    return await send({})
  }
}
