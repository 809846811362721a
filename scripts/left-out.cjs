/** In place of a module that is never reached: see LEFT_OUT in build.js. Sucrase would check the options that it is given. */
module.exports = { default: {}, validateOptions() {} };
