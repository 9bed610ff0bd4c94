import { BASE } from '@/lib/base'
import { navigate } from 'wouter/use-browser-location'
import { translate } from '@/i18n'
import { canNotify } from '@/lib/notifications'
import { usePrefs } from '@/lib/prefs'
import type { SessionChanged } from '@/stream/events'

const waiting = new Set<string>()

/** A session begins to need the user: a sound if wanted, a notification if allowed and the page is not visible. */
export function notifyUser(session: SessionChanged): void {
  const { session_id: id, status } = session
  if (status !== 'waiting_user') return void waiting.delete(id)
  if (waiting.has(id)) return
  waiting.add(id)
  if (usePrefs.getState().sound) chime()
  if (!document.hidden || !canNotify() || Notification.permission !== 'granted') return
  const notification = new Notification(translate('question.tab'), {
    body: session.title,
    tag: id,
    icon: `${BASE}/favicon-alert.svg`,
  })
  notification.onclick = () => {
    focus()
    navigate(`/s/${encodeURIComponent(id)}`)
    notification.close()
  }
}

function chime(): void {
  try {
    const audio = new AudioContext()
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    tone.frequency.value = 660
    volume.gain.setValueAtTime(0.08, audio.currentTime)
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.35)
    tone.connect(volume).connect(audio.destination)
    tone.start()
    tone.stop(audio.currentTime + 0.35)
    tone.onended = () => void audio.close()
  } catch {
    // Browsers play no sound without a gesture; the card and the title show it, too.
  }
}
