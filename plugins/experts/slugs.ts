import { AppError, isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'

const MAX_LENGTH = 64

/** How much of a slug stays as it is when a number is put behind it. */
const STABLE_LENGTH = MAX_LENGTH - 8

/** The slug that a name gives: its letters and digits of ASCII in lower case, joined with hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '')
  return slug || 'expert'
}

/** Makes what finds a free slug, among published experts and the ids of registered ones. */
export function createSlugs({
  collections: { published_experts },
  extensions: { 'agents.experts': experts },
}: Pick<Cradle, 'collections' | 'extensions'>) {
  const taken = (slug: string) => new AppError('PUBLISHED_EXPERT_SLUG_TAKEN', { slug })

  const chooseFree = async (base: string): Promise<string> => {
    const similar = { slug: { $regex: `^${base.slice(0, STABLE_LENGTH)}` } }
    const rows = await published_experts.find(similar, { projection: { slug: 1 } }).toArray()
    const used = new Set(rows.map(({ slug }) => slug))
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`
      const slug = base.slice(0, MAX_LENGTH - end.length) + end
      if (!used.has(slug) && !experts.get(slug)) return slug
    }
  }

  return {
    /** Throws PUBLISHED_EXPERT_SLUG_TAKEN. */
    async assertFree(slug: string): Promise<void> {
      if (experts.get(slug) || (await published_experts.findOne({ slug }, { projection: { _id: 1 } })))
        throw taken(slug)
    },

    /** Stores something under this slug, or else under the first free one that the name gives. */
    async claim(
      { slug, name }: { slug?: string; name: string },
      store: (slug: string) => Promise<unknown>,
    ): Promise<void> {
      for (;;) {
        const wanted = slug ?? (await chooseFree(slugOf(name)))
        try {
          await store(wanted)
          return
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
          if (slug !== undefined) throw taken(slug)
        }
      }
    },
  }
}
