import { createRoot } from 'react-dom/client'
import { language } from './i18n/language.ts'
import { loadStartWords } from './i18n/load.ts'
import { Root } from './root.tsx'
import { renewToken, SignedOut } from './session/token.ts'
import { Theme } from './ui/theme.tsx'

document.documentElement.lang = language

/** Continues the session of an earlier page, if there is one. */
const resumed = renewToken().catch((error) => {
  if (!(error instanceof SignedOut || error instanceof TypeError)) throw error
})

await Promise.all([loadStartWords(), resumed])
createRoot(document.getElementById('root')!).render(
  <Theme>
    <Root />
  </Theme>,
)
