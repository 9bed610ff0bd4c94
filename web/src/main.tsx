import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from '@/App'
import { loadLanguage } from '@/i18n'
import { applyPrefs, usePrefs } from '@/lib/prefs'
import '@/styles.css'

applyPrefs()
// After an upgrade an old tab asks for chunks that are gone.
addEventListener('vite:preloadError', () => location.reload())
await loadLanguage(usePrefs.getState().lang)
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
