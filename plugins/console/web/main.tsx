import { createRoot } from 'react-dom/client'
import { language } from './i18n/language.ts'
import { loadStartWords } from './i18n/load.ts'
import { Root } from './root.tsx'
import { resumeSession } from './session/token.ts'
import { Theme } from './ui/theme.tsx'

document.documentElement.lang = language

await Promise.all([loadStartWords(), resumeSession()])
createRoot(document.getElementById('root')!).render(
  <Theme>
    <Root />
  </Theme>,
)
