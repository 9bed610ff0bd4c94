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
  root.lang =
    prefs.lang ||
    navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => /^(en|de|ru)$/i.test(tag)) ||
    'en'
})()
