import { walkTree } from '#plugin-api'
import { FileFailure } from './file-failure.ts'

/** The most names in a path below a workspace: lists, searches and archives show no more. */
const MAX_NAMES = 64
/** The most bytes of such a path, so that the whole path stays below the 4,096 bytes that a system takes. */
const MAX_BYTES = 2048

/** A new path is deeper or longer than paths may be; `rule` names the bound. */
export class BoundFailure extends FileFailure {
  readonly rule: 'depth' | 'length'

  constructor(rule: 'depth' | 'length') {
    const bound = rule === 'depth' ? `${MAX_NAMES} levels` : `${MAX_BYTES} bytes`
    super(`the path, or that of something in the folder, would have more than ${bound}`)
    this.rule = rule
  }
}

/** Throws a BoundFailure if a path is too deep or too long to be made. */
export function assertBounded(parts: readonly string[]): void {
  if (parts.length > MAX_NAMES) throw new BoundFailure('depth')
  if (countBytes(parts) > MAX_BYTES) throw new BoundFailure('length')
}

/** The same for a folder at `location` that is to be moved, with everything in it. */
export async function assertTreeBounded(
  location: string,
  { from, to }: { from: readonly string[]; to: readonly string[] },
): Promise<void> {
  assertBounded(to)
  // A tree that a program has made too deep may be moved up.
  if (to.length <= from.length && countBytes(to) <= countBytes(from)) return
  for await (const { path } of walkTree(location, { onUnreadable: () => undefined }))
    assertBounded([...to, ...path.split('/')])
}

const countBytes = (parts: readonly string[]) => Buffer.byteLength(parts.join('/'))
