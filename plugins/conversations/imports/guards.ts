import { AppError, type ContextOf, type Guard } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The bytes of a form besides its file. */
const FORM_BYTES = 64 * 1024

/** Refuses an archive before it is received: if it is too large, or if another import of the account is running. */
export const importerGuard: Guard<'importer', Cradle> = {
  after: 'user',
  description: 'For accounts without a running import.',
  errors: ['BODY_TOO_LARGE', 'IMPORT_RUNNING'],
  async check({ headers }, { config, imports }, { caller }: ContextOf<'user'>) {
    const limit = config.max_archive_mb * 1024 * 1024
    if (Number(headers['content-length'] ?? 0) > limit + FORM_BYTES)
      throw new AppError('BODY_TOO_LARGE', { limit })
    await imports.assertNone(caller.id)
    return {}
  },
}
