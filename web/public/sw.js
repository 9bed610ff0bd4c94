// Shows what the server pushes to this device. It keeps no page and answers no request of one.

const LANG = new URL(location.href).searchParams.get('lang')
const BOOKS = {
  en: {
    question: 'Approval needed',
    manual: 'Your help is needed',
    done: 'A task is done',
    failed: 'A task has failed',
    needs_you: 'A task has stopped and needs you',
    budget: 'A budget is used up',
    skipped: 'A task was skipped',
    missed: 'A task was missed',
    digest: 'What happened',
    test: 'Test message',
    deny: 'Deny',
    stop: 'Stop',
  },
  de: {
    question: 'Erlaubnis nötig',
    manual: 'Ihre Hilfe wird gebraucht',
    done: 'Eine Aufgabe ist erledigt',
    failed: 'Eine Aufgabe ist fehlgeschlagen',
    needs_you: 'Eine Aufgabe hat angehalten und braucht Sie',
    budget: 'Ein Budget ist aufgebraucht',
    skipped: 'Eine Aufgabe wurde übersprungen',
    missed: 'Eine Aufgabe wurde verpasst',
    digest: 'Was geschehen ist',
    test: 'Testnachricht',
    deny: 'Ablehnen',
    stop: 'Stopp',
  },
  ru: {
    question: 'Нужно разрешение',
    manual: 'Нужна ваша помощь',
    done: 'Задача выполнена',
    failed: 'Задача не выполнена',
    needs_you: 'Задача остановлена и ждёт вас',
    budget: 'Бюджет исчерпан',
    skipped: 'Задача пропущена',
    missed: 'Время задачи прошло',
    digest: 'Что произошло',
    test: 'Проверка',
    deny: 'Отклонить',
    stop: 'Остановить',
  },
}
const WORDS = BOOKS[LANG] ?? BOOKS.en
/** What can be done without seeing the card. There is no yes among it. */
const ACTIONS = { question: ['deny', 'stop'], manual: ['stop'] }

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('push', (event) => {
  const told = event.data.json()
  event.waitUntil(Promise.all([show(told), setBadge(told.open)]))
})

function show(told) {
  const { type, outcome, reference, session_id: session } = told
  const url = new URL(told.link)
  return registration.showNotification(WORDS[outcome ?? type] ?? 'Pilothouse', {
    body: bodyOf(told),
    // One that comes a second time takes the place of the first.
    tag: reference ?? told.id,
    icon: 'icon-192.png',
    lang: LANG in BOOKS ? LANG : 'en',
    requireInteraction: type in ACTIONS,
    actions: (ACTIONS[type] ?? []).map((action) => ({ action, title: WORDS[action] })),
    // The device stays where it is logged in, also if the server has a second address.
    data: { path: url.pathname + url.search + url.hash, session, reference },
  })
}

function bodyOf(told) {
  const { items, count, automation, session_title: title, site, amount } = told
  if (items) {
    const lines = items.map(
      (one) => `${WORDS[one.outcome ?? one.type]}: ${one.automation || one.session_title}`,
    )
    const more = count.done + count.failed - items.length
    return [...lines, ...(more > 0 ? [`+${more}`] : [])].join('\n')
  }
  const said = (name) => told[`${name}_${LANG}`] ?? told[name]
  const deed = [said('action'), said('would_send'), site, amount].filter(Boolean).join(' · ')
  return [automation || title, deed].filter(Boolean).join('\n')
}

async function setBadge(count) {
  // Only installed apps have a badge; for others the browser may refuse.
  if ('setAppBadge' in navigator) await navigator.setAppBadge(count).catch(() => undefined)
}

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(act(event.action, event.notification.data))
})

async function act(action, { path, session, reference }) {
  const at = `api/sessions/${encodeURIComponent(session)}`
  const isSaid =
    (action === 'deny' && (await post(`${at}/decision`, { reference, confirmed: false }))) ||
    (action === 'stop' && (await post(`${at}/cancel`)))
  if (isSaid) await refreshBadge()
  else await open(path)
}

/** Whether the server took it. */
async function post(path, body) {
  const headers = { 'Content-Type': 'application/json' }
  const options = { method: 'POST', credentials: 'same-origin', headers, body: JSON.stringify(body) }
  return fetch(path, options).then(
    (answer) => answer.ok,
    () => false,
  )
}

async function refreshBadge() {
  const answer = await fetch('api/questions?limit=1').catch(() => null)
  if (answer?.ok) await setBadge((await answer.json()).total)
}

async function open(path) {
  const [page] = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!page) return clients.openWindow(path)
  await page.navigate(path)
  return page.focus()
}

addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event.oldSubscription)))

/** The browser took the subscription back: its channel gets a new one, if this device is still logged in. */
async function renew(former) {
  if (!former) return
  const [{ public_key: key }, { items }, device] = await Promise.all([
    read('api/push/key'),
    read('api/channels'),
    digest(former.endpoint),
  ])
  const channel = items.find((one) => one.device === device)
  if (!channel) return
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys } = made.toJSON()
  await fetch(`api/channels/${channel.id}`, {
    method: 'PATCH',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ address: endpoint, keys, name: channel.address }),
  })
}

const read = (path) => fetch(path, { credentials: 'same-origin' }).then((answer) => answer.json())

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
