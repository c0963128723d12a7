import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createHost } from '../../../kernel/contract/host.ts'
import type { Tool, ToolContext, WriteArea } from '../../../plugin-api/tool.ts'
import { createDocumentReader } from '../../../plugins/tools/documents/document-reader.ts'
import type { Growth } from '../../../plugins/tools/workspace/files/file-replacement.ts'
import workspacePlugin from '../../../plugins/tools/workspace/index.ts'
import { createWorkspaceDocuments } from '../../../plugins/tools/workspace/workspace-documents.ts'
import { createWorkspaceRoom } from '../../../plugins/tools/workspace/workspace-room.ts'
import type { Test } from '../../run/file-test.ts'
import { createToolContext } from '../../support/tool-context.ts'

/** The content of the only file outside of the workspaces. */
export const SECRET = 'what only the outside holds'

const { host, declarations } = createHost('workspace')
workspacePlugin.setup(host as never)

/** Unlimited room for workspaces without an account. */
const workspaceRoom = createWorkspaceRoom({
  agents: { find: async () => null, listOf: async () => [], workspaceOf: () => '/nowhere' },
  server: { home: '/nowhere' },
  limits: { of: () => Infinity },
})
/** Tells texts from documents; reading these needs a server. */
const workspaceDocuments = createWorkspaceDocuments({
  documentReader: createDocumentReader({
    config: { read_seconds: 60 },
    extensions: { 'documents.readers': { list: () => [] } },
  } as never),
  server: { home: '/nowhere' },
  collections: {},
} as never)
declarations.bind({ workspaceDocuments, workspaceRoom })

/** Lets files grow without a limit. */
export const anySize: Growth = (_, write) => write()

/** The tools that the plugin declares. */
export const tools = declarations.extensions.flatMap(({ point, entry }) =>
  point === 'agents.tools' ? [entry as Tool] : [],
)

/** Creates a workspace with a folder beside it, and calls of its tools. */
export async function createWorkspace(t: Test) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'svc-workspace-')))
  t.teardown(() => rm(base, { recursive: true, force: true, maxRetries: 3 }))
  const [workspace, outside] = [join(base, 'agent'), join(base, 'agent-outside')]
  await mkdir(workspace)
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), SECRET)
  const attached: { path: string; media_type: string }[] = []

  const attach: ToolContext['attach'] = (file) => void attached.push(file)
  const contextOf = (fields: Partial<ToolContext> = {}) => createToolContext({ workspace, attach, ...fields })
  const toolOf = (name: string) => tools.find((tool) => tool.name === name)!
  const run = async (name: string, input: object, context: ToolContext): Promise<string> =>
    toolOf(name).execute(input as never, context)
  const call = (name: string, input: object, signal?: AbortSignal) =>
    run(name, input, contextOf(signal && { signal }))
  const refused = (name: string, input: object, message: RegExp, title: string) =>
    t.rejects(call(name, input), { message }, title)
  /** Checks if the call needs approval and then makes it, in one context like the chat. */
  const judge = async (name: string, input: object, write_area: WriteArea | null) => {
    const context = contextOf({ write_area })
    const asks = await toolOf(name).needsApproval!(input as never, context)
    const outcome = await run(name, input, context).then(
      (text) => ({ text, error: undefined }),
      (error: Error) => ({ text: undefined, error: error.message }),
    )
    return { asks, ...outcome }
  }
  /** Writes files by their paths in the workspace, creating parent folders. */
  const fill = async (files: Record<string, string | Buffer>) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(workspace, path)), { recursive: true })
      await writeFile(join(workspace, path), content)
    }
  }
  const read = (path: string) => readFile(join(workspace, path), 'utf8')
  return { base, workspace, outside, attached, contextOf, run, call, refused, judge, fill, read }
}

/** Repeatedly swaps the folder `box` of a workspace for a link to the outside and back, until stopped. */
export function startSwapping(workspace: string, outside: string): () => Promise<void> {
  const [box, spare, third] = ['box', 'spare', 'third'].map((name) => join(workspace, name)) as [
    string,
    string,
    string,
  ]
  let isSwapping = true
  const isDone = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    )
  const swapper = (async () => {
    await symlink(outside, spare)
    while (isSwapping) {
      await rename(box, third)
      // In this gap a write may create the folder again.
      while (!(await isDone(rename(spare, box))))
        await rm(box, { recursive: true, force: true, maxRetries: 100, retryDelay: 0 })
      await rename(third, spare)
    }
  })()
  return async () => {
    isSwapping = false
    await swapper
  }
}

/** Runs work and counts the turns of the event loop meanwhile. */
export async function countingTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; turns: number }> {
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  try {
    return { result: await work(), turns }
  } finally {
    clearInterval(ticking)
  }
}

/** Lists the paths of everything below a folder, without following links. */
export async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort()
}
