import type { Context, Next } from 'koa'
import { AppError } from '../errors.ts'

/** The uses of a reply in which a browser runs no code of it, given the headers of files. */
const PASSIVE = new Set(['', 'empty', 'document', 'frame', 'iframe', 'image', 'audio', 'video', 'track'])

/**
 * Refuses requests of a page that would run a reply of the API as a script, a worker, a style or a plugin. Replies
 * contain what people wrote, and pages of this origin act for the signed-in user.
 */
export function refuseToBeRun(context: Context, next: Next): Promise<void> {
  // Older browsers, and all browsers at addresses without HTTPS, do not send this header.
  const destination = context.get('Sec-Fetch-Dest')
  if (!PASSIVE.has(destination)) throw new AppError('FORBIDDEN', { destination })
  return next()
}
