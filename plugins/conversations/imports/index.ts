// Owns imports, their reports and which conversations were imported; the threads belong to `chat`.
import { definePlugin, type LeaseDocument } from '#plugin-api'
import { type ConversationStore, createConversationStore } from './conversation-store.ts'
import {
  conversationIndexes,
  type ImportDocument,
  type ImportedConversationDocument,
  type ImportLineDocument,
  importIndexes,
  lineIndexes,
} from './documents.ts'
import { importerGuard } from './guards.ts'
import { createImportFiles, type ImportFiles } from './import-files.ts'
import { createImportWorker, type ImportWorker } from './import-worker.ts'
import { createImports, type Imports } from './imports.ts'
import { manifest } from './manifest.ts'
import { importRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface Collections {
    imports: {
      imports: ImportDocument
      import_lines: ImportLineDocument
      import_leases: LeaseDocument
      imported_conversations: ImportedConversationDocument
    }
  }
  interface GuardContexts {
    /** An account without a running import; see `user`. */
    importer: GuardContexts['user']
  }
  interface PrivateServices {
    imports: {
      conversationStore: ConversationStore
      importFiles: ImportFiles
      imports: Imports
      importWorker: ImportWorker
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('imports', { indexes: importIndexes })
    host.collection('import_lines', { indexes: lineIndexes })
    host.collection('import_leases')
    host.collection('imported_conversations', { indexes: conversationIndexes })
    host.service('conversationStore', createConversationStore)
    host.service('importFiles', createImportFiles)
    host.service('imports', createImports)
    host.service('importWorker', createImportWorker)
    host.guard('importer', importerGuard)
    host.routes(importRoutes)
    host.extend('users.removal', async ({ user_id }, { conversationStore, imports }) => {
      await imports.removeAllOf(user_id)
      await conversationStore.removeAllOf(user_id)
    })
    host.job({ name: 'imports', every_seconds: 30, run: ({ importWorker }) => importWorker.look() })
    host.job({
      name: 'imports.cleaning',
      every_seconds: 600,
      async run({ importFiles, imports, importWorker }) {
        await importWorker.clean()
        await importFiles.clean((_id) => imports.isActive({ _id }))
      },
    })
  },
  stop: ({ importWorker }) => importWorker.stop(),
})
