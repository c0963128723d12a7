import { storage } from './file-schemas.ts'
import { route } from './manifest.ts'

/** Tells what fills the workspaces of the caller's agents. */
export const storageRoute = route({
  method: 'GET',
  path: '/workspaces',
  operation_id: 'getStorage',
  summary: 'Get the sizes of your workspaces',
  description:
    'Returns how many bytes the files of each of your agents take up, with the limits. `GET /agents/{id}/files` with `recursive=true&sort=size` lists the files of an agent, the largest first.',
  guard: 'user',
  response: { 200: storage },
}).handle(async ({ caller }, { limits, workspaceRoom }) => {
  const workspaces = await workspaceRoom.list(caller.id)
  return {
    bytes: workspaces.reduce((sum, { bytes }) => sum + bytes, 0),
    max_bytes: limits.of('account_bytes'),
    max_workspace_bytes: limits.of('workspace_bytes'),
    workspaces,
  }
})
