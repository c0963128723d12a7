import { AppError } from '#kernel'
import type { AgentDocument } from '../agents/types.ts'
import type { Cradle } from './manifest.ts'

const MAX_NAME = 64

/** The length up to which a name is kept when a number is appended. */
export const STABLE_LENGTH = MAX_NAME - 8

/** Returns the name, or the name with the lowest number that makes it unused. */
export function freeName(name: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const candidate =
      [...name]
        .slice(0, MAX_NAME - end.length)
        .join('')
        .trim() + end
    if (!used.has(candidate)) return candidate
  }
}

/** Creates an agent under the first free name that is made of a label, or of the id if the label has no usable character. */
export async function createNumbered(
  { agents }: Pick<Cradle, 'agents'>,
  { owner_id, label, id }: { owner_id: string; label: string; id: string },
  create: (name: string) => Promise<AgentDocument>,
): Promise<AgentDocument> {
  const name = label.replace(/[/\p{Cc}\p{Cs}\s]+/gu, ' ').trim() || id
  for (;;) {
    try {
      return await create(freeName(name, await agents.listNamesOf(owner_id)))
    } catch (error) {
      // Somebody else may be making one at the same time, which then shows in the list.
      if (!(error instanceof AppError && error.code === 'AGENT_NAME_TAKEN')) throw error
    }
  }
}
