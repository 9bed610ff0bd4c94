// Runs before the first paint, from a file because the content security policy allows no inline script.
;(function () {
  var root = document.documentElement
  var prefs = {}
  try {
    prefs = JSON.parse(localStorage.getItem('pilothouse.prefs') || '{}').state || {}
  } catch (_) {
    prefs = {}
  }
  var dark =
    prefs.theme === 'dark' || (prefs.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  root.lang = prefs.lang || (/^ru\b/i.test(navigator.language) ? 'ru' : 'en')
})()
