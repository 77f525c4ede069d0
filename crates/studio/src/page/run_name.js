// The run that the page shows, which its address names.

export const runName = decodeURIComponent(location.pathname.split('/').pop());
