import type { ServerApi } from './server-api.ts'

/** The folder of files that people have sent, which no file declares. */
const INBOUND = 'inbound/'

/** Lists the files in the workspace of an agent that an export contains, sorted. */
export async function listWorkspaceFiles(agent: string, api: ServerApi): Promise<string[]> {
  const rows = await api.list(`${agent}/files?recursive=true`)
  return rows
    .filter(({ kind, path }) => kind === 'file' && !String(path).startsWith(INBOUND))
    .map(({ path }) => String(path))
    .sort()
}
