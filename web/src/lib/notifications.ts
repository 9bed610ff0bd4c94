/** May this page notify? Chrome on Android has the constructor, too, but throws in it: there a service worker must. */
export const canNotify = () => typeof Notification !== 'undefined' && !/Android/.test(navigator.userAgent)
