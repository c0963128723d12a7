import { createRoot } from 'react-dom/client'
import { language } from './i18n/language.ts'
import { addStartWords } from './i18n/load.ts'
import { loadApp } from './load-app.ts'
import { Root } from './root.tsx'
import { followBuild } from './server/new-build.ts'
import { hadSession, resumeSession } from './session/token.ts'
import { showChosenTheme, Theme } from './ui/theme.tsx'

document.documentElement.lang = language
addStartWords()
showChosenTheme()
followBuild()

const session = resumeSession()
// The request for the session goes first.
if (hadSession()) setTimeout(preload)
await session
createRoot(document.getElementById('root')!).render(
  <Theme>
    <Root />
  </Theme>,
)

/** Loads the code of the console while its session is continued. */
function preload(): void {
  void loadApp()
  if (/^\/chat\/[^/]+\/./.test(location.pathname)) void import('./chat/markdown/markdown-block.tsx')
}
