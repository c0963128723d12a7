import { definePlugin } from '#plugin-api'
import { fileRoutes } from './file-routes.ts'
import {
  createGuestUploads,
  type GuestUploadDocument,
  type GuestUploads,
  guestUploadIndexes,
} from './guest-uploads.ts'
import { createFileLinks, type FileLinks } from './links.ts'
import { manifest } from './manifest.ts'
import { createEditFile } from './tools/edit-file.ts'
import { glob } from './tools/glob.ts'
import { grep } from './tools/grep.ts'
import { ls } from './tools/ls.ts'
import { createReadFile } from './tools/read-file.ts'
import { createWriteFile } from './tools/write-file.ts'
import { receiveFile } from './uploads.ts'
import {
  createWorkspaceDocuments,
  type DocumentFactsDocument,
  documentFactsIndexes,
  type WorkspaceDocuments,
} from './workspace-documents.ts'
import {
  createWorkspaceFiles,
  readWantedDocument,
  readWantedFiles,
  type WorkspaceFiles,
} from './workspace-files.ts'
import { createWorkspaceNotes } from './workspace-notes.ts'
import { createWorkspaceRoom, type WorkspaceRoom } from './workspace-room.ts'

declare module '#kernel/types' {
  interface Services {
    workspace: {
      workspaceFiles: WorkspaceFiles
    }
  }
  interface Collections {
    workspace: {
      document_facts: DocumentFactsDocument
      guest_uploads: GuestUploadDocument
    }
  }
  interface PrivateServices {
    workspace: {
      fileLinks: FileLinks
      guestUploads: GuestUploads
      workspaceDocuments: WorkspaceDocuments
      workspaceRoom: WorkspaceRoom
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('document_facts', { indexes: documentFactsIndexes })
    host.collection('guest_uploads', { indexes: guestUploadIndexes })
    host.service('fileLinks', createFileLinks)
    host.service('guestUploads', createGuestUploads)
    host.provide('workspaceFiles', createWorkspaceFiles)
    host.service('workspaceDocuments', createWorkspaceDocuments)
    host.service('workspaceRoom', createWorkspaceRoom)
    host.limit('account_bytes', ({ workspaceRoom }, account_id) => workspaceRoom.usedBy(account_id))
    host.routes(fileRoutes)
    host.extend('overview.counts', async (_, { workspaceRoom }) => ({
      bytes: { workspaces: await workspaceRoom.total() },
    }))
    host.extend('agents.file_contents', readWantedFiles)
    host.extend('agents.documents', readWantedDocument)
    host.extend('agents.named_files', (request, { guestUploads }) => guestUploads.listPaths(request))
    host.extend('agents.received_files', receiveFile)
    const room = () => host.cradle.workspaceRoom
    const [writeFile, editFile] = [createWriteFile(room), createEditFile(room)]
    const readFile = createReadFile(() => host.cradle.workspaceDocuments)
    for (const tool of [ls, readFile, glob, grep, writeFile, editFile]) host.extend('agents.tools', tool)
    const notes = createWorkspaceNotes()
    host.extend('agents.instructions', notes.instruct)
    host.extend(
      'agents.removal',
      async ({ agent_id }, { guestUploads, workspaceDocuments, workspaceRoom }) => {
        notes.forget(agent_id)
        workspaceRoom.forget(agent_id)
        await guestUploads.removeAllOf({ agent_id })
        await workspaceDocuments.removeAllOf(agent_id)
      },
    )
    host.extend('users.removal', ({ user_id }, { guestUploads }) => guestUploads.removeAllOf({ user_id }))
    host.job({
      name: 'workspace.documents',
      every_seconds: 300,
      run: ({ workspaceDocuments }) => workspaceDocuments.removeOldTexts(),
    })
  },
  stop: ({ workspaceDocuments }) => workspaceDocuments.end(),
})
