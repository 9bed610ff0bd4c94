import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from '@/App'
import { loadLanguage } from '@/i18n'
import { newBuildReload } from '@/lib/newBuild'
import { swallowDrops } from '@/lib/pasted'
import { fitKeyboard } from '@/lib/fitKeyboard'
import { applyPrefs, usePrefs } from '@/lib/prefs'
import '@/styles.css'

applyPrefs()
swallowDrops()
fitKeyboard()
// After an upgrade an old tab asks for chunks that are gone.
addEventListener('vite:preloadError', newBuildReload())

// Not a top-level await: that would keep other chunks from sharing what is in this one.
void loadLanguage(usePrefs.getState().lang).then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
