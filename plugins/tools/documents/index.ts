// Owns the reading of documents: their text, with its pages and headings. A stranger's file is parsed in processes alone.

import { type DocumentReaderKind, definePlugin } from '#plugin-api'
import { createDocumentReader, type DocumentReader } from './document-reader.ts'
import { manifest } from './manifest.ts'
import { assertReaderKind } from './reader-kinds.ts'

declare module '#kernel/types' {
  interface Services {
    documents: {
      documentReader: DocumentReader
    }
  }
  interface ExtensionPoints {
    /** Readers of further kinds of documents, or better ones of the kinds that are built in. */
    'documents.readers': DocumentReaderKind
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('documents.readers', {
      noun: 'reader of documents',
      nameOf: ({ name }) => name,
      check: assertReaderKind,
    })
    host.provide('documentReader', createDocumentReader)
  },
})
