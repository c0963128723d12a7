import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compress } from './build/compress.ts'
import { serviceWorker } from './build/service-worker.ts'
import { stylesLast } from './build/styles-last.ts'

/** The server that the development server of Vite passes requests to. */
const SERVER = process.env.SVC_URL ?? 'http://127.0.0.1:8088'

const CLIENT = new URL('../../../../client', import.meta.url).pathname

const INITIAL = ['$initial' as const]
const WITH_IMPORTS = { includeDependenciesRecursively: true }

/**
 * The chunks; the first one that fits a module has it. The first four are all that the sign-in loads, and the next three
 * with the words are a chat. A browser asks for six files at a time over HTTP/1.1, so others are few as well.
 */
const GROUPS = [
  { name: 'react', test: /\/node_modules\/(react|react-dom|scheduler)\// },
  { name: 'mantine', test: /\/node_modules\//, tags: INITIAL },
  { name: 'start', tags: INITIAL },
  { name: 'data', test: /\/@tanstack\/|\/web\/(server|session)\//, ...WITH_IMPORTS },
  { name: 'app', test: /\/web\/app\.tsx$/, ...WITH_IMPORTS },
  { name: 'markdown', test: /\/markdown-block\.tsx$/, ...WITH_IMPORTS },
  { name: 'diagram', test: /\/draw-diagram\.ts$/, ...WITH_IMPORTS },
  { name: 'code', test: /\/code-form\.tsx$/, ...WITH_IMPORTS },
  { name: 'qr', test: /\/qr\.tsx$/, ...WITH_IMPORTS },
  { name: 'slots', test: /\/web\/slots\/(slot-hosts?\.tsx|slots\.css|[\w-]+\.ts)$/ },
  { name: 'presence', test: /\/web\/push\/(presence|device)\.ts$/ },
  { name: 'extras', test: /\/web\/(frame|chat)\//, ...WITH_IMPORTS },
  { name: 'forms', test: /\/(@mantine|@floating-ui|react-number-format|web)\//, minShareCount: 2 },
]

export default defineConfig({
  root: import.meta.dirname,
  // The sources, because the compiled client may be older, or being written.
  resolve: {
    alias: { '#client/socket': `${CLIENT}/socket/browser.ts`, '#client': `${CLIENT}/index.ts` },
  },
  plugins: [react(), compress(), stylesLast(), serviceWorker()],
  worker: { format: 'es' },
  build: {
    outDir: '../../../../dist/plugins/reach/console/web',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers with light-dark(): a replacement of it does not know the theme that somebody chose.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Mermaid and its parser, which a first diagram loads.
    chunkSizeWarningLimit: 700,
    // For `.ci/budget.js`.
    manifest: true,
    rolldownOptions: { output: { codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS } } },
  },
  server: { proxy: { '/api': { target: SERVER, ws: true } } },
})
