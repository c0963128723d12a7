// The build joins this module and pdf.js in one file, without what it needs for drawing only.
import './pdfjs-globals.ts'
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'

export { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs'
