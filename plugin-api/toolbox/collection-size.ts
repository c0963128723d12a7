import type { Collection, Document } from 'mongodb'

/** Returns the bytes of the documents of collections, without their indexes. */
export async function measureCollections<Documents extends Document[]>(
  ...collections: { [Place in keyof Documents]: Collection<Documents[Place]> }
): Promise<number> {
  const sizes = await Promise.all(
    collections.map(async (collection) => {
      const [stats] = await collection
        .aggregate<{ storageStats: { size: number } }>([{ $collStats: { storageStats: {} } }])
        .toArray()
      return stats?.storageStats.size ?? 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
