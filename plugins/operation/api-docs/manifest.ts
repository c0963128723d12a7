import { defineManifest } from '#plugin-api'

/** The manifest of the api-docs plugin. */
export const manifest = defineManifest({
  name: 'api-docs',
  summary: 'The documents of the API, and a page to read and try it',
  tag: {
    name: 'Server',
    order: 1000,
    description: 'The state of the server, and the documents of its API.',
  },
  // The documents are part of every server; only the page can be switched off.
  always: true,
})

declare module '#kernel/types' {
  interface Manifests {
    'api-docs': typeof manifest
  }
}
