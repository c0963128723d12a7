import { lacks } from '../server/failure.ts'
import { listMissing, type Schema, type Values } from './schema-form-schema.ts'

/** Throws what a refusal by the server would, with the fields of `/config` that these settings need. */
export function assertComplete(schema: Schema, config: Values): void {
  const missing = listMissing(schema, config)
  if (missing.length > 0) throw lacks(missing.map((name) => `/config/${name}`))
}
