import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { checkBudget } from './build/budget.ts'
import { compress } from './build/compress.ts'

/** The server that the development server of Vite passes requests to. */
const SERVER = process.env.SVC_URL ?? 'http://127.0.0.1:8088'

const CLIENT = new URL('../../../client', import.meta.url).pathname

/** Modules that are in few files: a browser asks for six at a time over HTTP/1.1. The sign-in needs none of them. */
const GROUPS = [
  { name: 'icons', test: /\/ui\/icons?\.tsx?$/ },
  { name: 'router', test: /@tanstack\/(react-)?(router|query|history|store)/ },
]

export default defineConfig({
  root: import.meta.dirname,
  // The sources, because the compiled client may be older, or being written.
  resolve: {
    alias: { '#client/socket': `${CLIENT}/socket/browser.ts`, '#client': `${CLIENT}/index.ts` },
  },
  plugins: [react(), compress(), checkBudget()],
  worker: { format: 'es' },
  build: {
    outDir: '../../../dist/plugins/console/web',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers with light-dark(): a replacement of it does not know the theme that somebody chose.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS } } },
  },
  server: { proxy: { '/api': { target: SERVER, ws: true } } },
})
