import { walkTree } from '#plugin-api'

/** Adds up the bytes of all files below a folder, without following links; ignores what cannot be read. */
export async function measureTree(root: string): Promise<number> {
  let bytes = 0
  for await (const entry of walkTree(root, { onUnreadable: () => undefined }))
    if (entry.kind !== 'folder') bytes += entry.bytes
  return bytes
}
