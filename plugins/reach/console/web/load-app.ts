import { withAppWords } from './i18n/load.ts'

/** Loads the console of somebody who is signed in. */
export const loadApp = withAppWords(() => import('./app.tsx'))
