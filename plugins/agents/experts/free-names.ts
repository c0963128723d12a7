import { AppError, findFreeName, isDuplicateKey } from '#plugin-api'
import type { AgentDocument } from '../agents/types.ts'
import type { Cradle } from './manifest.ts'

/** The most characters of a name, and of a slug. */
export const MAX_CHARS = 64

/** The characters of a name or slug that are kept when a number is appended. */
export const STABLE_CHARS = MAX_CHARS - 8

/** Creates an agent under the first free name that starts with a label, or with the id if the label has no usable character. */
export async function createNumbered(
  { agents }: Pick<Cradle, 'agents'>,
  { owner_id, label, id }: { owner_id: string; label: string; id: string },
  create: (name: string) => Promise<AgentDocument>,
): Promise<AgentDocument> {
  const name = label.replace(/[/\p{Cc}\p{Cs}\s]+/gu, ' ').trim() || id
  for (;;) {
    try {
      return await create(findFreeName(name, await agents.listNamesOf(owner_id), MAX_CHARS))
    } catch (error) {
      // A concurrent creation took the name, which the next list includes.
      if (!(error instanceof AppError && error.code === 'AGENT_NAME_TAKEN')) throw error
    }
  }
}

/** Converts a name to a slug: its ASCII letters and digits in lower case, joined with hyphens. */
function toSlug(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^-+|-+$/g, '')
  return slug || 'expert'
}

/** Creates the search for free slugs, which neither a published expert nor the id of a registered one uses. */
export function createSlugs({
  collections: { published_experts },
  extensions: { 'agents.experts': experts },
}: Pick<Cradle, 'collections' | 'extensions'>) {
  const createTakenError = (slug: string) => new AppError('PUBLISHED_EXPERT_SLUG_TAKEN', { slug })

  const chooseFree = async (base: string): Promise<string> => {
    const similar = { slug: { $regex: `^${base.slice(0, STABLE_CHARS)}` } }
    const rows = await published_experts.find(similar, { projection: { slug: 1 } }).toArray()
    const used = new Set(rows.map(({ slug }) => slug))
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`
      const slug = base.slice(0, MAX_CHARS - end.length) + end
      if (!used.has(slug) && !experts.get(slug)) return slug
    }
  }

  return {
    /** Throws PUBLISHED_EXPERT_SLUG_TAKEN if the slug is in use. */
    async assertFree(slug: string): Promise<void> {
      if (experts.get(slug) || (await published_experts.findOne({ slug }, { projection: { _id: 1 } })))
        throw createTakenError(slug)
    },

    /** Stores an expert under this slug, or under the first free slug that is made from its name. */
    async claim(
      { slug, name }: { slug?: string; name: string },
      store: (slug: string) => Promise<unknown>,
    ): Promise<void> {
      for (;;) {
        const candidate = slug ?? (await chooseFree(toSlug(name)))
        try {
          await store(candidate)
          return
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
          if (slug !== undefined) throw createTakenError(slug)
        }
      }
    },
  }
}
